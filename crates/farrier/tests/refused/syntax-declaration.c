x = 1; //~ `x` is not the name of a type
