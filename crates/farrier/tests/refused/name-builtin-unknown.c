int f(void) { return __builtin_unheard_of(1); } //~ `__builtin_unheard_of` is not supported
