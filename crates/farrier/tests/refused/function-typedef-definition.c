typedef int F(void);
F f { return 1; } //~ the definition of a function has a list of parameters
