void *malloc(unsigned long);
struct s {
  int a : 3;
  _Bool b : 1;
};
static struct s copied(struct s s) { return s; }
int main(void) {
  struct s *p = malloc(sizeof *p), s;
  p->a = 1;
  s = copied(*p);
  return s.b; //~ UB uninitialised
}
