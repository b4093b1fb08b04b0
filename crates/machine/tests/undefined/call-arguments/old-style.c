static int f(a, b)
  int a;
  int b;
{ return a + b; }
int main(void) { return f(1); } //~ UB call-arguments
