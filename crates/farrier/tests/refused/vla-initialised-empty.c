// options: --std c23
void f(int n) {
  int a[n] = {}; //~ initialising an object of variable size is not supported
}
