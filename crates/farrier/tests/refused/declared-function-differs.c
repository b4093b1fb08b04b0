int f(int);
long f(int); //~ `f` is declared with type
