void f(int a) { int a; } //~ `a` is declared twice
