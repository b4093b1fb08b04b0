struct S { int a, b; };
static void set(_Atomic struct S *p) {
  p->b = 3; //~ UB atomic-member
}
int main(void) {
  _Atomic struct S s = { 1, 2 };
  set(&s);
  return 0;
}
