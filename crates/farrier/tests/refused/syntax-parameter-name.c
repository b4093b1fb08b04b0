int f(a, 1) { } //~ expected
