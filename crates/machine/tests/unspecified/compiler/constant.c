int printf(const char *, ...);
static int constant(int x) {
  return __builtin_constant_p(x); //~ UNSPECIFIED compiler
}
int main(void) {
  printf("%d\n", constant(1));
  return 0;
}
