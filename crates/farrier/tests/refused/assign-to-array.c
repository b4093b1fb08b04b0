void f(void) { int a[2], b[2]; a = b; } //~ an object of type `int[2]` cannot be assigned to
