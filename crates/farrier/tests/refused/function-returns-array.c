int f(void)[3]; //~ a function cannot return `int[3]`
