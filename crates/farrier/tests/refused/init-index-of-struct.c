struct s { int a; } s = { [0] = 1 }; //~ `struct s` has no such element
