struct s { int a; } s;
struct t { int a; } t;
void f(void) { s = t; } //~ a value of type `struct t` cannot become `struct s`
