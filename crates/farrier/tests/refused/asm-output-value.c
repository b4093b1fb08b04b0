void f(int a) { asm("" : "=r"(a + 1)); } //~ an output of `asm` is an object
