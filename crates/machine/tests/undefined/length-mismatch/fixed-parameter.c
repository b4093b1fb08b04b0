static int last(int n, int (*a)[n]) { //~ UB length-mismatch
  return a[0][n - 1];
}
int main(void) {
  int (*call)(int, int (*)[5]) = last;
  int a[2][5] = { 0 };
  return call(4, a);
}
