struct s { const int a; int b; struct { const char c; char d[3]; } in; };
union u { const int a; int b; };
int main(void) {
  struct s s = { 1, 2, { 3, { 4 } } };
  int *p = &s.b;
  *p = 5;
  s.in.d[2] = 6;
  union u u = { 1 };
  u.b = 7;
  int *lit = (int[]){ 1, 2 };
  lit[0] = 3;
  return s.a + s.b + s.in.c + s.in.d[2] + u.a + lit[0] - 25;
}
