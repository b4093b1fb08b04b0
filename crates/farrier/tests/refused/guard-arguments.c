int f(int a) { return __farrier_add_int(a); } //~ wrong number of arguments for a guard
