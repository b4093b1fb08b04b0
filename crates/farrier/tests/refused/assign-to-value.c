void f(int a) { 1 = a; } //~ only an object can be assigned to, this is a value of type `int`
