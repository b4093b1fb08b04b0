union u { unsigned char c; _Bool b; };
int main(void) {
  _Bool b = 16;
  union u u;
  if (b != 1) return 1;
  b++;
  if (b != 1) return 2;
  b--;
  if (b != 0) return 3;
  b |= 256;
  if (b != 1) return 4;
  u.c = 1;
  if (!u.b) return 5;
  u.c = 2;
  return u.c - 2;
}
