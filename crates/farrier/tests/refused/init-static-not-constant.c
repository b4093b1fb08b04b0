int g(int a) { static int x = a; return x; } //~ constant
