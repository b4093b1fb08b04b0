int f(void)(void); //~ a function cannot return `int(void)`
