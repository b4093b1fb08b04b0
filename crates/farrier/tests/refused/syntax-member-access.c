struct s { int a; } s;
int x = s.1; //~ a value of type `struct s` cannot become `int`
