struct S { int a[3]; };
struct S make(void) { return (struct S){ { 1, 2, 3 } }; }
int main(void) {
  int *p;
  switch (*(p = make().a)) {
  case 1:
    return *p; //~ UB dangling
  }
  return 0;
}
