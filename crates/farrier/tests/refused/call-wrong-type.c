int g(char *);
int f(void) { return g(1.5); } //~ a value of type `double` cannot become `char *`
