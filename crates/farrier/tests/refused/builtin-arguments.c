int x = __builtin_clz(1, 2); //~ wrong number of arguments for `__builtin_clz`
