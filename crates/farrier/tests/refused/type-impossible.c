short double x; //~ this is not a type
