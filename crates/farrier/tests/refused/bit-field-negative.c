struct s { int a : -1; }; //~ `int` has 32 bits, not -1
