int f(int);
int g(void) { return f(1; } //~ expected `)`
