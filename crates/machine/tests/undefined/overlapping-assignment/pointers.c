struct s { int a[2]; };
void *malloc(unsigned long);
int main(void) {
  int *p = malloc(3 * sizeof(int));
  if (!p) return 0;
  p[0] = p[1] = p[2] = 0;
  struct s *s = (struct s *)p, *t = (struct s *)(p + 1);
  *t = *s; //~ UB overlapping-assignment
  return 0;
}
