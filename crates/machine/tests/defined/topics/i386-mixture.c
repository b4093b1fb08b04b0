// target: i386-linux
struct s { char c; long long l; double d; };
int main(void) {
  if (sizeof(long) != 4 || sizeof(void *) != 4 || sizeof(struct s) != 20) return 1;
  if (sizeof(long double) != 12 || __alignof__(double) != 8 || _Alignof(double) != 4) return 2;
  unsigned long u = 0xffffffffUL;
  u++;
  if (u) return 3;
  long long l = 1LL << 33;
  struct s s = { 1, l, 0.5 };
  struct s *p = &s;
  if (p->l >> 30 != 8 || p->d + p->d != 1.0) return 4;
  unsigned i = 1;
  int a[3] = { 1, 2, 3 }, *q = a + 2;
  q -= i;
  long double x = 1.5L;
  x *= x;
  return *q + (x == 2.25L) - 3;
}
