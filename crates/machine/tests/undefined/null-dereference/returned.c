static int *find(int *a, int n, int wanted) {
  for (int i = 0; i < n; i++)
    if (a[i] == wanted) return &a[i];
  return 0;
}
int main(void) {
  int a[3] = { 1, 2, 3 };
  return *find(a, 3, 4); //~ UB null-dereference
}
