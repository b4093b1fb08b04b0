int printf(const char *, ...);
int main(void) {
  double payload = __builtin_nan("12");
  printf("%g\n", payload * -1); //~ UNSPECIFIED compiler
  return 0;
}
