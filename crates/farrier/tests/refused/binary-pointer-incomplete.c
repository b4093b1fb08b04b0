struct s;
struct s *f(struct s *p) { return p + 1; } //~ arithmetic needs the size of `struct s`, which is not known here
