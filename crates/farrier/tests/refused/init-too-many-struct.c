struct s { int a; } s = { 1, 2 }; //~ too many initialisers for `struct s`
