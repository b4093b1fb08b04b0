void *p = __builtin_clz; //~ `__builtin_clz` can only be called
