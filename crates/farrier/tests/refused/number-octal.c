int x = 089; //~ is not a suffix of a number
