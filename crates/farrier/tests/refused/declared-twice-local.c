void f(void) {
  int a;
  int a; //~ `a` is declared twice
}
