void f(int n) {
  int a[n];
  typeof(a) b; //~ `typeof` of a variable-length array is not supported
}
