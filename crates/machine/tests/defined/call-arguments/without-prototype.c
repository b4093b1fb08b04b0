static int f();
static int old(a, b, c)
  char a;
  float b;
  short *c;
{ return a + (int)b + *c; }
int main(void) {
  short s = 3;
  if (old(1, 2.0f, &s) != 6 || old('a', 1.0, &s) != 101) return 1;
  return f(1, 2u) - 3;
}
static int f(int a, unsigned b) { return a + (int)b; }
