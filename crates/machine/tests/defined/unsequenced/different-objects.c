struct s { int a, b; };
int main(void) {
  struct s s = { 1, 2 };
  int a[3] = { 1, 2, 3 }, i = 0, j = 1, *p = a, *q = a + 1;
  if (s.a++ + s.b++ != 3) return 1;
  if (a[i]++ + a[j]++ != 3) return 2;
  if (*p++ + *q++ != 5) return 3;
  i = a[i];
  j = j + 1;
  *p = *p + 1;
  return i - 2;
}
