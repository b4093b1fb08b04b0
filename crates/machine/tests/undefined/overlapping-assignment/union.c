struct pair { int a, b; };
union u { struct pair p; struct { int skip; struct pair q; } shifted; };
int main(void) {
  union u u;
  u.shifted.skip = 0;
  u.shifted.q.a = 1;
  u.shifted.q.b = 2;
  u.p = u.shifted.q; //~ UB overlapping-assignment
  return 0;
}
