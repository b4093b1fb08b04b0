const int a = 1;
void f(void) { asm("" : "=r"(a)); } //~ this is a constant of type `const int`
