void g(void);
void f(void) { int a = g(); } //~ a value of type `void` cannot become `int`
