// permissive
static int f();
int main(void) { return f(1); } //~ UB call-arguments
static int f(int a, int b) { return a + b; }
