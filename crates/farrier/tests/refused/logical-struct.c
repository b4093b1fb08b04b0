struct s { int a; };
int f(struct s s) { return s && 1; } //~ a condition must be a number or a pointer
