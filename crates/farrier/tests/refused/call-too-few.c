int g(int, int);
int f(void) { return g(1); } //~ this function takes 2 arguments, but 1 is given
