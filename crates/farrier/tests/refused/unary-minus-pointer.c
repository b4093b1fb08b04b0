int *f(int *p) { return -p; } //~ `-` cannot be applied to a value of type `int *`
