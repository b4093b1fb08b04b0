// The pointer is inside an element, not at one.
struct S { int a[3]; };
int main(void) {
  struct S a[4] = { 0 };
  struct S *p = (struct S *)((char *)a + 16);
  return p - a; //~ UB pointer-subtraction
}
