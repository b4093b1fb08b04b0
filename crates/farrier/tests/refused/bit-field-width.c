struct s { int a : 33; }; //~ `int` has 32 bits, not 33
