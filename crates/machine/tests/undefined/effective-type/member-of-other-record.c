// The same members in the same places, but another structure.
struct a { int x, y; };
struct b { int x, y; };
int f(struct a *a, struct b *b) {
  a->y = 1;
  b->y = 2; //~ UB effective-type
  return a->y;
}
int main(void) {
  struct a a = { 0 };
  return f(&a, (struct b *)&a);
}
