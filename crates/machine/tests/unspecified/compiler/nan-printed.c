int printf(const char *, ...);
int main(void) {
  double zero = 0;
  printf("%f\n", zero / zero); //~ UNSPECIFIED compiler
  return 0;
}
