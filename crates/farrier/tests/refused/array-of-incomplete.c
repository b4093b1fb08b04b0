struct s;
extern struct s a[3]; //~ there are no arrays of `struct s`: the size of an element is not known
