void f(void) { asm("" : : : : : ); } //~ expected `)`
