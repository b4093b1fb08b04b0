// What `*p` designates is not all there.
void *malloc(unsigned long);
struct S { int a; double b; };
int main(void) {
  struct S *p = malloc(sizeof(int));
  if (!p) return 0;
  p->a = 1; //~ UB out-of-bounds
  return 0;
}
