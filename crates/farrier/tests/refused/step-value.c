int f(int a) { return (a + 1)++; } //~ only an object can be assigned to, this is a value of type `int`
