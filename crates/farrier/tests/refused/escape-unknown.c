char *s = "\q"; //~ \q
