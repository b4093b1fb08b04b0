int printf(const char *, ...);
int main(void) {
  printf("%d\n", __builtin_constant_p(3.5f));
  printf("%d\n", __builtin_constant_p(3.4e38f * 3.4e38f)); //~ UNSPECIFIED compiler
  return 0;
}
