int a[2], b[2];
int main(void) {
  int *p = a, *q = b;
  return p >= q; //~ UB pointer-comparison
}
