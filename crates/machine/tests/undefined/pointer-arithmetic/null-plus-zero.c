int main(void) {
  char *p = 0;
  int zero = 0;
  p = p + zero; //~ UB pointer-arithmetic
  return 0;
}
