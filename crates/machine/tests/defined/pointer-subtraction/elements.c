struct S { int a[3]; };
int main(void) {
  struct S a[4] = { 0 };
  struct S *p = (struct S *)((char *)a + 24);
  if (p - a != 2) return 1;
  return (char *)&a[1].a[1] - (char *)a == 16 ? 0 : 2;
}
