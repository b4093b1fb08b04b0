static int corner(int n, int m, int a[n][m]) { return a[n - 1][m - 1]; }
static int twice(int n, int a[n][2 * n]) { return a[n - 1][2 * n - 1]; }
int main(void) {
  int n = 3, a[3][4] = { { 0 }, { 0 }, { 0, 0, 0, 5 } };
  long m = 4;
  int(*p)[m] = a, (*q)[n + 1] = p, (*r)[] = p;
  int(*s)[n] = (int(*)[n])a;
  if (corner(n, m, a) != 5 || corner(3, 4, q) != 5 || twice(2, a) != 0) return 1;
  return (*s)[0] + (*r)[0];
}
