int x = 12ux; //~ `ux` is not a suffix of a number
