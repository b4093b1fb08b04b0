int printf(const char *, ...);
int f(void) { return printf(); } //~ this function takes at least 1 argument, but 0 are given
