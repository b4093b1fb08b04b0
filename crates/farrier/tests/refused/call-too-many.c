int g(void);
int f(void) { return g(1, 2); } //~ this function takes 0 arguments, but 2 are given
