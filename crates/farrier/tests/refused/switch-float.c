void f(double a) { switch (a) { } } //~ `switch` needs an integer, this has type `double`
