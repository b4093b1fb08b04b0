int a[2] = { .b = 1 }; //~ `int[2]` has no member `b`
