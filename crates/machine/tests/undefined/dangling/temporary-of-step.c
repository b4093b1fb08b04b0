struct S { int a[3]; };
struct S make(void) { return (struct S){ { 1, 2, 3 } }; }
int main(void) {
  int *p = 0;
  for (int i = 0; i < 2; i++, p = make().a)
    if (i)
      return *p; //~ UB dangling
  return 0;
}
