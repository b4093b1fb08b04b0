struct s { int a; } s = { .b = 1 }; //~ `struct s` has no member `b`
