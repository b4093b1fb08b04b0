int f(static int x); //~ a parameter can only be declared `register`
