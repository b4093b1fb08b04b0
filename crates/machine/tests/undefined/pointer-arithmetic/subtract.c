int a[4];
int main(void) {
  int *p = &a[1], n = 2;
  p -= n; //~ UB pointer-arithmetic
  return 0;
}
