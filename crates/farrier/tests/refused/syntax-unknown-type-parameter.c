int f(size_t n) { return 0; } //~ `size_t` is not declared
