// The inner structure is the same, the outer ones are not.
struct in { int x, y; };
struct a { int tag; struct in in; };
struct b { int tag; struct in in; };
int main(void) {
  struct a a = { 1, { 2, 3 } };
  struct b *b = (struct b *)&a;
  return b->in.y; //~ UB effective-type
}
