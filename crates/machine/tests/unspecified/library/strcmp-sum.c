int strcmp(const char *, const char *);
int main(void) {
  int sum = strcmp("a", "b") + strcmp("b", "a"); //~ UNSPECIFIED library
  return sum != 0;
}
