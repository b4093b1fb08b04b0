// The full expression ends with the condition (C11 6.2.4p8).
struct S { int a[3]; };
struct S make(void) { return (struct S){ { 1, 2, 3 } }; }
int main(void) {
  int *p;
  if ((p = make().a)[1] == 2)
    return p[1]; //~ UB dangling
  return 0;
}
