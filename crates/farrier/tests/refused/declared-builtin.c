void f(void) { __builtin_abort(); }
double __builtin_abort(); //~ `__builtin_abort` is built in
