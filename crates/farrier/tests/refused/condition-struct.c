struct s { int a; };
void f(struct s s) { if (s) ; } //~ a condition must be a number or a pointer, this has type `struct s`
