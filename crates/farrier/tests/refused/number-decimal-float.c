double d = 1.0dd; //~ decimal
