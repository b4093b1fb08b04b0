struct a { int count, values[4]; };
struct b { int count, values[4]; };
int get(struct b *b, int i) {
  return b->values[i]; //~ UB effective-type
}
int main(void) {
  struct a a = { 0 };
  return get((struct b *)&a, 2);
}
