int printf(const char *, ...);
static int next(void) {
  static int n;
  return ++n;
}
int main(void) {
  printf("%d %d\n", next(), next()); //~ UNSPECIFIED order
  return 0;
}
