struct s { int a : 0; }; //~ a bit-field with a name has at least one bit
