int f(int a) { return a(1); } //~ only a function can be called, this has type `int`
