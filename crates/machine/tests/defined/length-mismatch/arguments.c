// Lengths that agree, and arguments that have none.
static int width = 3;
static int corner(int n, int m, int a[n][m]) { return a[n - 1][m - 1]; }
static int computed(int n, int (*a)[2 * n + 1]) { return a[0][2 * n]; }
static int global(int (*a)[width]) { return a[1][width - 1]; }
static int deep(int n, int m, int (**a)[n][m]) { return (**a)[n - 1][m - 1]; }
static int none(void *a) { return global(a); }
static int counted(int n, int (*a)[n--]) { return n + a[0][0]; }
int main(void) {
  int (*call)(int, int, int (*)[*]) = corner;
  int (*fixed)(int, int (*)[5]) = computed;
  int n = 2;
  int a[n][width], b[2][5] = { [0][4] = 4 }, c[5][n];
  int (*p)[n][width] = &a;
  for (int i = 0; i < 6; i++)
    a[i / 3][i % 3] = i;
  for (int i = 0; i < 10; i++)
    c[i / 2][i % 2] = i;
  n = 7;
  width = 3;
  int all = corner(2, 3, a) == 5 && call(2, 3, a) == 5 && fixed(2, b) == 4 && computed(2, b) == 4;
  all = all && global(a) == 5 && none(a) == 5 && none(c) == 5 && deep(2, 3, &p) == 5;
  return !all || call(5, 2, c) != 9 || counted(2, c) != 1;
}
