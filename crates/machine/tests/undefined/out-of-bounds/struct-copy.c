struct s { int a[4]; };
void *malloc(unsigned long);
int main(void) {
  struct s s = { { 1 } };
  struct s *p = malloc(8);
  if (!p) return 0;
  *p = s; //~ UB out-of-bounds
  return 0;
}
