char s[2] = "abc"; //~ a string of 3 characters does not fit an array of 2
