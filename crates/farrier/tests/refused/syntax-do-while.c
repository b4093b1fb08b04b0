void f(int a) { do a++; (a); } //~ expected `while`
