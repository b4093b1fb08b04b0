struct s { int a; };
int f(struct s s) { return s.b; } //~ `struct s` has no member `b`
