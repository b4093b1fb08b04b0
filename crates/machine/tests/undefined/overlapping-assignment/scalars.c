union u { int i; short s; };
int main(void) {
  union u u = { 1 }, *p = &u;
  p->s = p->i; //~ UB overlapping-assignment
  return 0;
}
