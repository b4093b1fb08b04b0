int n = __builtin_offsetof(int, c); //~ `int` has no member
