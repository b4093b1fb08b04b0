// The same type, signed or unsigned, with qualifiers, a character, a member.
struct s { int a; float f; };
union u { int i; float f; unsigned char bytes[4]; };
int main(void) {
  int x = -1;
  const unsigned *p = (const unsigned *)&x;
  volatile int *v = &x;
  if (*p != 4294967295u || *v != -1) return 1;
  unsigned char *bytes = (unsigned char *)&x;
  signed char *signs = (signed char *)&x;
  char *chars = (char *)&x;
  if (bytes[0] != 255 || signs[3] != -1) return 2;
  chars[0] = 0;
  if (x != -256) return 3;
  struct s s = { 1, 2.0f };
  int *first = (int *)&s;
  float *second = &s.f;
  if (*first != 1 || *second != 2.0f) return 4;
  union u u;
  u.f = 1.0f;
  if (u.i != 0x3f800000 || u.bytes[3] != 0x3f) return 5;
  return 0;
}
