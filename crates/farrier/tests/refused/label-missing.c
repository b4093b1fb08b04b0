void f(void) { goto out; } //~ the label `out` is not defined
