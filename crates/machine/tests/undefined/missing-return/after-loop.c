static int find(const int *a, int n, int wanted) {
  for (int i = 0; i < n; i++)
    if (a[i] == wanted) return i;
}
int main(void) {
  int a[2] = { 1, 2 };
  return find(a, 2, 3) == 0; //~ UB missing-return
}
