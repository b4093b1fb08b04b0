struct s { int a : 3; } s;
int *p = &s.a; //~ a bit-field has no address
