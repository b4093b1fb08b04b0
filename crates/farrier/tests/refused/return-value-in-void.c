void f(void) { return 1; } //~ this function returns no value
