int n;
int a[n]; //~ the length of an array at file scope is a constant
