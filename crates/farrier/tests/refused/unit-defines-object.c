// options: units/defines-x.i
int x = 2; //~ `x` is initialised twice
