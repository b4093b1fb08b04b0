struct a { int x; };
struct b { float y; } b;
int main(void) {
  struct a *p = (struct a *)&b;
  return p->x; //~ UB effective-type
}
