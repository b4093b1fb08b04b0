void f(int n) {
  int a[n] = { 1 }; //~ a variable-length array cannot be initialised
}
