void f(int a, int *p) { a += p; } //~ `+=` cannot store a value of type `int *` into an object of type `int`
