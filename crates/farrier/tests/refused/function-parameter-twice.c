int f(int a, int a) { return a; } //~ two parameters are called `a`
