int f(int a) { float x; return __builtin_add_overflow(a, a, &x); } //~ wrong types of arguments for `__builtin_add_overflow`
