int f(int i) { return __farrier_index_int(i, 4); } //~ needs a value to fall back to
