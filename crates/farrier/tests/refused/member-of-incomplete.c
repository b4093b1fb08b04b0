struct s;
int f(struct s *p) { return p->a; } //~ the members of `struct s` are not known here
