int f(void);
int x = f(); //~ constant
