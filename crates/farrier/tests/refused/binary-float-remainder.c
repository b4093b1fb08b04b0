double f(double d) { return d % 2; } //~ `%` cannot be applied to `double` and `int`
