int x;
int f(void) { int a; a = &x; return a; } //~ a value of type `int *` cannot become `int`
