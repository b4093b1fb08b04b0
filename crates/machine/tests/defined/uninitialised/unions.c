#include <string.h>
union u { int i; char c; unsigned char bytes[4]; struct { short low, high; } s; };
union wide { double d; struct { int a, b; } s; long long l; };

/* The bytes of the member that is stored keep their values, and so does all else that a
   pointer leads to. */
int main(void) {
  union u u;
  u.i = 0x01020304;
  u.bytes[1] = 9;
  if (u.bytes[1] != 9 || u.i == 0x01020304) return 1;
  u.s.low = 1;
  if (u.s.high == 0 || u.i == 0) return 2;
  u.c = 5;
  if (u.c != 5 || u.bytes[0] != 5) return 3;
  u.i = 7;
  char *p = &u.c;
  *p = 7;
  if (u.i != 7 && u.i != 0x07000007) return 4;
  union wide w = { .l = 0 }, copy;
  w.s.a = 1;
  w.s.b++;
  copy = w;
  if (copy.l == 0) return 5;
  memset(&w, 0, sizeof w);
  return w.l != 0;
}
