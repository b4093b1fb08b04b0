void f(int *p) { p *= 2; } //~ `*` cannot be applied to `int *` and `int`
