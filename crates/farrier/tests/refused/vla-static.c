void f(int n) {
  static int a[n]; //~ cannot have variable length
}
