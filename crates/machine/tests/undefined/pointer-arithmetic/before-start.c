int main(void) {
  int a[4], *p = a;
  p--; //~ UB pointer-arithmetic
  return 0;
}
