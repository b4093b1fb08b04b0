struct S { int a[4], b[4]; };
int main(void) {
  struct S s = { { 0 }, { 0 } };
  return &s.b[1] - &s.a[1]; //~ UB pointer-subtraction
}
