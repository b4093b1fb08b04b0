void f(void) {
  extern int x = 1; //~ `x` is `extern` in a block
}
