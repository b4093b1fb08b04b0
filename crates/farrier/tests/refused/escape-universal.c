char *s = "\u12"; //~ \u
