int n = sizeof(struct s); //~ the size of `struct s` is not known here
