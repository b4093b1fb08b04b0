int printf(const char *, ...);
int strcmp(const char *, const char *);
int main(void) {
  int order = strcmp("a", "c");
  printf("%d\n", order); //~ UNSPECIFIED library
  return 0;
}
