void f(void) {
  out:;
  out:; //~ the label `out` is defined twice
}
