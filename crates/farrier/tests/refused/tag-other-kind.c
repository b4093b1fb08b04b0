struct s { int a; };
union s u; //~ the tag `s` already means something else
