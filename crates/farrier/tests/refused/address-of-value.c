int *f(int a) { return &(a + 1); } //~ `&` needs an object or a function, this is a value of type `int`
