int *f(long a) { int *p; p = a; return p; } //~ a value of type `long` cannot become `int *`
