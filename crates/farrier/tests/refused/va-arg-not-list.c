int f(int a) { return __builtin_va_arg(a, int); } //~ a `va_list` object is needed here
