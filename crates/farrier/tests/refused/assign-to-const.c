void f(const int a) { a = 1; } //~ a `const int` object cannot be assigned to
