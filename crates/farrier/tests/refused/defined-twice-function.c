int f(void) { return 1; }
int f(void) { return 2; } //~ `f` is defined twice
