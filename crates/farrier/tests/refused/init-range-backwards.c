int a[4] = { [3 ... 1] = 1 }; //~ this is not a range of elements
