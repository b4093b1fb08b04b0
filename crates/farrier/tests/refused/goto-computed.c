void f(int a) { goto *a; } //~ a computed `goto` needs a pointer
