int a = 1 @ 2; //~ is not part of C
