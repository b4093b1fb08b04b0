int a[2] = { 1, 2, 3 }; //~ too many initialisers for `int[2]`
