int a[4];
int main(void) {
  int x, *p = a, *q = &x;
  p += 4;
  p -= 4;
  p = p + 4 - 4;
  if (p != a || &p[4] - p != 4) return 1;
  q = q + 1;
  q--;
  *q = 3;
  // A negative number of steps may be unsigned in the source, but not here.
  p = a + 3;
  int back = -3;
  if (&p[back] != a) return 2;
  return x - 3;
}
