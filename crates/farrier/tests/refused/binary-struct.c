struct s { int a; };
int f(struct s s) { return s + 1; } //~ `+` cannot be applied to `struct s` and `int`
