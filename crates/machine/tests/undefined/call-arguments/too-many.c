// permissive
static int f();
int main(void) { return f(1, 2); } //~ UB call-arguments
static int f(int a) { return a; }
