int printf(const char *, ...);
int main(void) {
  long double zero = 0, results[2] = {0, zero / zero};
  results[0] = -results[1];
  printf("%Lf\n", results[0]); //~ UNSPECIFIED compiler
  return 0;
}
