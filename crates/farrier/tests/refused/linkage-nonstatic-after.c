static int x;
int x; //~ declared both static and not
