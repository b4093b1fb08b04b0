struct s { int a, b; };
int main(void) {
  struct s s = { 0, -2147483647 - 1 };
  struct s *p = &s;
  p->b--; //~ UB signed-overflow
  return 0;
}
