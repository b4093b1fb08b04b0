// The argument is promoted to int; the parameter is a signed char again.
static int cut(c)
  signed char c;
{ return c; }
int main(void) { return cut(257) - 1; }
