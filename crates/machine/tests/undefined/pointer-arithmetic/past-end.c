int main(void) {
  int a[4], *p = a;
  p = p + 5; //~ UB pointer-arithmetic
  return 0;
}
