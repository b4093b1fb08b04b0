static int f(int n) {
  int a[n]; //~ UB vla-length
  a[0] = 1;
  return a[0];
}
int main(void) { return f(-1); }
