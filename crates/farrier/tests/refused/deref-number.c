int f(int a) { return *a; } //~ `*` needs a pointer, this has type `int`
