void f(int n) {
  extern int a[n]; //~ variable length
}
