struct s { int a, b; };
int main(void) {
  struct s *p = 0;
  p->a = 1; //~ UB null-dereference
  return 0;
}
