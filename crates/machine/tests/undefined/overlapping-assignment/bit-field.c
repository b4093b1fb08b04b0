union u { unsigned i; struct { unsigned a : 4, b : 4; } s; };
int main(void) {
  union u u = { 1 };
  u.s.b = u.i; //~ UB overlapping-assignment
  return 0;
}
