extern int x;
extern long x; //~ `x` is declared with type `long` here, but with type `int` before
