static int is_null(const void *p) { return p == 0; }
struct s { int a; };
int main(void) {
  int *p = 0, x;
  struct s *s = 0;
  if (!is_null(p) || is_null(&x)) return 1;
  if (p || !(p == (void *)0)) return 2;
  if (p != 0 && *p) return 3;
  // &*p is p, and sizeof does not evaluate.
  if (&*p != p || sizeof *p != 4 || sizeof s->a != 4) return 4;
  p = &x;
  *p = 0;
  return *p;
}
