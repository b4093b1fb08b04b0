// options: units/defines-x.i
extern long x; //~ `x` is declared with type `long` here, but with type `int` before
