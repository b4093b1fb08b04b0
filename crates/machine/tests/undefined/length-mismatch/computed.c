static int last(int n, int (*a)[2 * n + 1]) { //~ UB length-mismatch
  return a[0][2 * n];
}
int main(void) {
  int a[2][7] = { 0 };
  return last(2, a);
}
