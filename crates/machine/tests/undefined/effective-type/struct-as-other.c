struct a { int x, y; };
struct b { float x, y; };
int main(void) {
  struct a a = { 1, 2 };
  struct b b = *(struct b *)&a; //~ UB effective-type
  return b.x == 0;
}
