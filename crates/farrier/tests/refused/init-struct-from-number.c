struct s { int a; } s = 1; //~ struct s
