// C11 6.5.2.3p6 seems to allow it, since the union can be seen; compilers do not.
struct a { int x, y; };
struct b { int x, y; };
union u { struct a a; struct b b; };
int f(struct a *a, struct b *b) {
  a->y = 1;
  b->y = 2;
  return a->y; //~ UNSPECIFIED compiler
}
int main(void) {
  union u u;
  return f(&u.a, &u.b) - 2;
}
