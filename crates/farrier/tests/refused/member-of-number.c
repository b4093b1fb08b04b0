int f(int a) { return a.b; } //~ `int` has no members
