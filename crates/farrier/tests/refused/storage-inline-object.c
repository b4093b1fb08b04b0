inline int x; //~ only a function can be `inline` or `_Noreturn`
