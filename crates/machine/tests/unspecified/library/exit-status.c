int strcmp(const char *, const char *);
int main(void) {
  return strcmp("b", "a"); //~ UNSPECIFIED library
}
