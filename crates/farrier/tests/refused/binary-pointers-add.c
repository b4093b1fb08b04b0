int *f(int *p, int *q) { return p + q; } //~ `+` cannot be applied to `int *` and `int *`
