static int corner(int n, int (*a)[n]) { //~ UB length-mismatch
  return a[0][n - 1];
}
int main(void) {
  int (*call)(int, int (*)[*]) = corner;
  int n = 3;
  int a[2][n];
  for (int i = 0; i < 6; i++)
    a[i / 3][i % 3] = i;
  return call(2, a);
}
