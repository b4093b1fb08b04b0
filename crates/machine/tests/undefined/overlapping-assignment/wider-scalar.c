union u { int i; long long l; };
int main(void) {
  union u u;
  u.i = 1;
  u.l = u.i; //~ UB overlapping-assignment
  return 0;
}
