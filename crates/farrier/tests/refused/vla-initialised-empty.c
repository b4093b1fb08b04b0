// options: --std c23
void f(int n) {
  int a[n] = {}; //~ initialising a variable-length array is not supported
}
