int x = (int y)1; //~ a name has no place here
