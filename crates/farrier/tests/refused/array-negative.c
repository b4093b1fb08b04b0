int a[-1]; //~ an array cannot have -1 elements
