int printf(const char *, ...);
int main(void) {
  printf("%f\n", 1); //~ UB bad-format
  return 0;
}
