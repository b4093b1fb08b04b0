int a[3][4];
int main(void) {
  int(*q)[4] = &a[0];
  int *p = *++q;
  return *(p - 1); //~ UB pointer-arithmetic
}
