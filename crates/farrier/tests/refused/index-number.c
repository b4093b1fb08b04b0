int f(int a) { return a[1]; } //~ `[]` needs an array or a pointer, this has type `int`
