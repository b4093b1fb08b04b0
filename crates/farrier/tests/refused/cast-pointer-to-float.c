double f(int *p) { return (double)p; } //~ a value of type `int *` cannot be cast to `double`
