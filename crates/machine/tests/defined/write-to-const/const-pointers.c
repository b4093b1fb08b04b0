// Only the definition of the object counts, not the pointer.
static int set(const int *p) {
  *(int *)p = 2;
  return *p;
}
struct s { const int a; int b; };
void *malloc(unsigned long);
void free(void *);
int main(void) {
  int x = 1;
  if (set(&x) != 2) return 1;
  int *const q = &x;
  *q = 3;
  struct s s = { 1, 2 };
  s.b = 4;
  const int *heap = malloc(4);
  if (!heap) return 2;
  *(int *)heap = 1;
  free((void *)heap);
  return s.b + x - 7;
}
