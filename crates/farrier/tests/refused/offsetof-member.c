struct s { int a; int b : 3; };
int n = __builtin_offsetof(struct s, c); //~ `struct s` has no member `c`
