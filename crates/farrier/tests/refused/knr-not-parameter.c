// options: --permissive
int f(a) int b; { return 1; } //~ `b` is not a parameter of this function
