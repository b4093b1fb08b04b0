struct s { int a; };
void f(struct s s) { s++; } //~ `++` and `--` need a number or a pointer, this has type `struct s`
