struct s { int a; };
int f(int a, struct s s) { return a ? a : s; } //~ the two results of `?:` have types `int` and `struct s`, which do not go together
