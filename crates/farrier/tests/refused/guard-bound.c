int f(int a) { return __farrier_index_int_or(a, a, 0); } //~ the bound of an index is a constant
