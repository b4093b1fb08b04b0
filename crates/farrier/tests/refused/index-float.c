int f(int *p) { return p[1.5]; } //~ an index must be an integer, this has type `double`
