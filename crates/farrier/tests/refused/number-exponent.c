double x = 1e; //~ 1e
