double f(double d) { return ~d; } //~ `~` cannot be applied to a value of type `double`
