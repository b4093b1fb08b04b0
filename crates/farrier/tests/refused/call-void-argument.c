void h(void);
int g();
int f(void) { return g(h()); } //~ argument 1 has no value
