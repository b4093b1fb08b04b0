int a[2], b[2];
int main(void) {
  int *p = a + 2, *q = b;
  return p == q; //~ UNSPECIFIED address
}
