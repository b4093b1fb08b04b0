int a[2] = 1; //~ `int[2]` cannot be initialised with
