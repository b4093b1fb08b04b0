int f(struct s x) { return 1; } //~ an object cannot have type `struct s`: the type is incomplete
