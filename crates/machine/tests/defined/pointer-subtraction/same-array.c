int a[5];
int main(void) {
  int *p = a + 5, *q = a;
  if (p - q != 5 || q - p != -5 || q - q != 0) return 1;
  if ((char *)p - (char *)q != 20) return 2;
  return (int)(&a[3] - &a[3]);
}
