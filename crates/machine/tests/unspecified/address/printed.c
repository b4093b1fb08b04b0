int printf(const char *, ...);
int main(void) {
  int x;
  printf("%p\n", (void *)&x); //~ UNSPECIFIED address
  return 0;
}
