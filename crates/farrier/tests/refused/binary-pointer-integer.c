int f(int *p, int a) { return p < a; } //~ `<` cannot be applied to `int *` and `int`
