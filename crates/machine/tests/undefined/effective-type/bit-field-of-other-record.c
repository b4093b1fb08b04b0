struct a { unsigned x : 4, y : 4; };
struct b { unsigned x : 4, y : 4; };
int main(void) {
  struct a a = { 0 };
  struct b *b = (struct b *)&a;
  b->y = 2; //~ UB effective-type
  return a.y;
}
