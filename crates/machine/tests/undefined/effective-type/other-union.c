union a { int x; float f; };
union b { int x; short s; };
int main(void) {
  union a a = { 0 };
  union b *b = (union b *)&a;
  return b->x; //~ UB effective-type
}
