int a[4];
int main(void) {
  unsigned long i = 18446744073709551615ul;
  int *p = a + 1;
  p = p + i; //~ UB pointer-arithmetic
  return 0;
}
