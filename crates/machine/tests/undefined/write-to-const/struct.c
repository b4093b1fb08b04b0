struct s { int a, b; };
static const struct s s = { 1, 2 };
int main(void) {
  struct s *p = (struct s *)&s;
  p->b = 3; //~ UB write-to-const
  return 0;
}
