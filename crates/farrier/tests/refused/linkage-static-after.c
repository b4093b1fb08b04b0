int x;
static int x; //~ `x` is declared both static and not
