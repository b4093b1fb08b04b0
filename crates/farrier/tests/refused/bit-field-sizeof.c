struct s { int a : 3; } s;
int n = sizeof s.a; //~ a bit-field has no size in bytes
