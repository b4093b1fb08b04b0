static int sum(int n, int m, int a[n][m]) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    for (int *p = a[i]; p < a[i] + m; p++) sum += *p;
  int(*row)[m] = &a[n - 1];
  return sum + (*row)[m - 1];
}
int main(void) {
  int n = 3, m = 4, a[n][m];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j] = i + j;
  return sum(n, m, a) != 30 + 5;
}
