int strcmp(const char *, const char *);
int main(void) {
  signed char order = strcmp("b", "a"); //~ UNSPECIFIED library
  return order > 0;
}
