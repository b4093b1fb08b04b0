int f(int *p) { return __real__ p; } //~ `__real__` and `__imag__` need a number, this has type `int *`
