void f(int a) { if (a) int b; } //~ a declaration cannot stand here alone
