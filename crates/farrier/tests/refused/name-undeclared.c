int f(void) { return y; } //~ `y` is not declared
