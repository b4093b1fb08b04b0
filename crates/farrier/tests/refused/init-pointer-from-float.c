int *p = 1.5; //~ a value of type `double` cannot become `int *`
