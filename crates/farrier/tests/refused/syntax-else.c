int f(int a) { else return 1; } //~ expected an expression
