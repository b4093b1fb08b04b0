int f(a) { return a; } //~ the parameter `a` has no type
