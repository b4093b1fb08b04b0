int a[3][4];
int main(void) {
  int *p = &a[0][0];
  return p[5]; //~ UB pointer-arithmetic
}
