int printf(const char *, ...);
int main(void) {
  float negative = -__builtin_nanf("");
  printf("%g\n", negative); //~ UNSPECIFIED compiler
  return 0;
}
