// Members of a declared union may be punned through the union, not through pointers.
union u { int i; float f; };
int f(int *i, float *f) {
  *i = 1;
  *f = 2;
  return *i; //~ UB effective-type
}
int main(void) {
  union u u;
  return f(&u.i, &u.f);
}
