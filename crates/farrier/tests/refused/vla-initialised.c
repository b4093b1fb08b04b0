void f(int n) {
  int a[n] = { 1 }; //~ an object of variable size cannot be initialised
}
