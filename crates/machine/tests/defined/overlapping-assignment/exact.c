struct s { int a[2]; };
union u { struct s a, b; };
int main(void) {
  struct s x = { { 1, 2 } }, *p = &x;
  x = *p;
  union u u;
  u.a = x;
  u.b = u.a;
  struct s all[2] = { { { 1, 2 } }, { { 3, 4 } } };
  all[0] = all[1];
  return all[0].a[1] + u.b.a[0] - 5;
}
