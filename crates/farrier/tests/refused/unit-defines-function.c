// options: units/defines-x.i
int f(void) { return 1; } //~ `f` is defined twice
