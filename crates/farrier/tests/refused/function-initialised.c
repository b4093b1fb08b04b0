int f(void) = 1; //~ a function cannot be initialised
