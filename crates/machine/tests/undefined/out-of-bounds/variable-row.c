static int sum(int n, int a[n][n]) {
  int *p = a[0], sum = 0;
  for (int i = 0; i < n * n; i++) sum += p[i]; //~ UB out-of-bounds
  return sum;
}
int main(void) {
  int a[3][3] = { { 1 } };
  return sum(3, a);
}
