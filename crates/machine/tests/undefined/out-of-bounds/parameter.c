static int sum(const int *a, int n) {
  int total = 0;
  for (int i = 0; i < n; i++)
    total += a[i]; //~ UB out-of-bounds
  return total;
}
int main(void) {
  int a[3] = { 1, 2, 3 };
  return sum(a, 4);
}
