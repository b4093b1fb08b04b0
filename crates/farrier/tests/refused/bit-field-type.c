struct s { float a : 3; }; //~ a bit-field cannot have type `float`
