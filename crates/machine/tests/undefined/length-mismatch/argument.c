static int corner(int n, int m, int a[n][m]) { //~ UB length-mismatch
  return a[n - 1][m - 1];
}
int main(void) {
  int a[3][4] = { 0 };
  return corner(4, 3, a);
}
