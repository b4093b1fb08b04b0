int f(size_t n) { return 0; } //~ expected `)`, found `n`
