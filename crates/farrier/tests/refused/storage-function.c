register int f(void); //~ a function cannot have this storage class
