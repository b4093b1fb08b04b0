struct s { int a; };
int n = __builtin_offsetof(struct s, a[1]); //~ `int` has no elements
