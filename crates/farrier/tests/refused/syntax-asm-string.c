void f(void) { asm(1); } //~ expected a string
