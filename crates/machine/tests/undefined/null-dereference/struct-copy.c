struct s { int a[4]; };
int main(void) {
  struct s *p = 0, s;
  s = *p; //~ UB null-dereference
  return s.a[0];
}
