int f(void) { return; } //~ this function returns a value
