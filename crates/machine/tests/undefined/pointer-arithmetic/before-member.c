struct s { int m, n[2]; };
static int *last(struct s *p) { return &p->n[1]; }
int main(void) {
  struct s s = { 1, { 2, 3 } };
  int *p = last(&s);
  return *(p - 2); //~ UB pointer-arithmetic
}
