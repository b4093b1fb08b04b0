int a[1.5]; //~ the length of an array is an integer, this has type `double`
