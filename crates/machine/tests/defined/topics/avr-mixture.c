// target: avr
struct s { int a : 5; unsigned long b : 20; char c; };
static double half(double x) { return x / 2; }
int main(void) {
  int i = 32767;
  unsigned u = 65535u;
  long l = i + 1L;
  if (l != 32768 || u + 1 != 0 || sizeof(int) != 2 || sizeof(double) != 4) return 1;
  if (sizeof(int *) != 2 || 40000 / 2 != 20000) return 2;
  double d = 16777217.0;
  if (d != 16777216.0 || half(3) != 1.5f) return 3;
  float f = 0.1;
  if (f != 0.1) return 4;
  unsigned char c = 200;
  if (c + c != 400 || (c << 7) != 25600) return 5;
  struct s s = { -16, 0xfffff, 3 };
  if (s.a != -16 || s.b != 0xfffffUL) return 6;
  unsigned long w = 0xffffffffUL;
  d = w;
  if (d != 4294967296.0) return 7;
  int a[10], *p = a + 9;
  *p = 4;
  if (p - a != 9 || a[9] != 4 || (long)(int)-1 != -1L) return 8;
  long long ll = 1LL << 40;
  int n = 3, vla[n];
  vla[2] = (int)(ll >> 38);
  return vla[2] + (int)sizeof vla - 10;
}
