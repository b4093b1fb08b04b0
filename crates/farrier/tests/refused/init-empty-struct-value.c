struct s { } s = { 1 }; //~ too many initialisers for `struct s`
