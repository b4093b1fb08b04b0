int f(int a) { return __farrier_index_int(a, a); } //~ the bound of an index is a constant
