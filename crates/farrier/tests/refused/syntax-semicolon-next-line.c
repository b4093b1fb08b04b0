int x
int y; //~ expected
