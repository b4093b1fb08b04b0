// options: --std c23
int f(a, b) int a; char b; { return a; } //~ C23
