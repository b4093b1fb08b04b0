int printf(const char *, ...);
double result = 0.0 / 0.0;
int main(void) {
  printf("%g\n", result); //~ UNSPECIFIED compiler
  return 0;
}
