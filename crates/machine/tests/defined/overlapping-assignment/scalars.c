union u { int i, j; short s; struct { unsigned a : 4, b : 4; } b; };
int main(void) {
  union u u = { 1 }, v = { 2 }, *p = &u;
  u.i = u.j;
  u.i = u.i;
  p->s = (short)(p->i + 1);
  int copy = u.s;
  u.s = copy;
  u.s = v.i;
  u.b.a = u.b.b;
  v.b.b = u.b.a;
  return v.b.b;
}
