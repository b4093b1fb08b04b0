struct s { int m, n; } s = { 1, 2 };
int main(void) {
  int *p = &s.m + 1;
  if (p != &s.n) return 0;
  return *p; //~ UB out-of-bounds
}
