char *s = "\xg"; //~ \x
