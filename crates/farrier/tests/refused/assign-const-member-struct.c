struct s { const int a; } s, t;
void f(void) { s = t; } //~ a member of it is `const`
