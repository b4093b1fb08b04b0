struct s { unsigned a : 3; int b : 5; unsigned long c : 40; _Bool d : 1; };
int main(void) {
  struct s s = { 9, 17, 1ul << 39, 5 };
  if (s.a != 1 || s.b != -15 || s.c != 1ul << 39 || !s.d) return 1;
  s.a += 7;
  s.c--;
  s.b = -1;
  return s.a == 0 && s.c == (1ul << 39) - 1 && s.b == -1 && s.d ? 0 : 2;
}
