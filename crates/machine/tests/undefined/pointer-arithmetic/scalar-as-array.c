// An object that is no array counts as an array of one.
int main(void) {
  struct { int a, b; } s = { 1, 2 };
  int *p = &s.a;
  p = (int *)((char *)&s + 12); //~ UB pointer-arithmetic
  return p == 0;
}
