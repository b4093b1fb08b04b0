static int at(int n, int m, int a[n][m], int i, int j) {
  return a[i][j]; //~ UB out-of-bounds
}
int main(void) {
  int n = 3, m = 4, a[n][m];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j] = i + j;
  return at(n, m, a, 1, 5);
}
