int main(void) {
  char *p = 0;
  p = p + 1; //~ UB pointer-arithmetic
  return 0;
}
