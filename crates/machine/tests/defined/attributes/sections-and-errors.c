// One kind of thing in a section; a forbidden function that nothing names.
__attribute__((section("numbers"))) int a = 1, b = 2;
__attribute__((section("constants"))) const int c = 3;
__attribute__((section("functions"))) int f(void) { return 4; }
void never(void) __attribute__((error("never")));
int g(x) int x __attribute__((mode(QI))); { return x; }
int main(void) { return a + b + c + f() + g(300) - 54; }
