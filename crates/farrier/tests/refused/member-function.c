struct s { int f(void); }; //~ a member cannot have type `int(void)`
