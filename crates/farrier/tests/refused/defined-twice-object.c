int x = 1;
int x = 2; //~ `x` is initialised twice
