struct a { int x; float y; };
struct b { int x; int y; };
int main(void) {
  struct a a = { 0, 0 };
  struct b b = { 1, 2 };
  *(struct b *)&a = b; //~ UB effective-type
  return 0;
}
