struct s { int a, b; };
volatile struct s v = { 1, 2 };
int main(void) {
  struct s *p = (struct s *)&v, copy;
  copy = *p; //~ UB volatile-access
  return copy.a;
}
