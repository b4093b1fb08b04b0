struct s { int a; volatile int b; };
int main(void) {
  volatile int v = 1;
  const volatile int *p = &v;
  struct s s = { 1, 2 }, copy;
  int *q = &s.a;
  int plain = 4;
  volatile int *r = &plain;
  *q += *p + *r;
  copy = s;
  return copy.b + s.a - 8;
}
