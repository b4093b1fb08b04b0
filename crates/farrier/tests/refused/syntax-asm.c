void f(void) { asm("" : : : : : ); } //~ an `asm` has four parts
