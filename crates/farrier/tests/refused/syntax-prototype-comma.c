int f(int a,); //~ a type is missing here
