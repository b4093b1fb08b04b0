int f(void) { return g(1); } //~ `g` is not declared
