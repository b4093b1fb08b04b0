// compiler: none
struct S { int a, b; };
int main(void) {
  _Atomic struct S s = { 1, 2 };
  return s.a; //~ UB atomic-member
}
