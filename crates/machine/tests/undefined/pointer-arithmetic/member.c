struct s { int m, n; } s = { 1, 2 };
int main(void) {
  int *p = &s.m;
  p += 2; //~ UB pointer-arithmetic
  return 0;
}
