int x = (static int)1; //~ expected
