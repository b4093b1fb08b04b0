int a[4];
int main(void) {
  int i = 5;
  int *p = &a[i]; //~ UB pointer-arithmetic
  return p == 0;
}
