typedef int T;
int f(void) { return 1 + T; } //~ `T` is a type, not a value
