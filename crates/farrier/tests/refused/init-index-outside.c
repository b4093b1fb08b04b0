int a[2] = { [2] = 1 }; //~ `int[2]` has no such element
