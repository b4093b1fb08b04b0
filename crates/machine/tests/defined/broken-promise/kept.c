#include <stdio.h>
#include <stdlib.h>
__attribute__((nonnull)) static int first(const char *p, int n) { return p[0] + n; }
__attribute__((nonnull(2))) static int listed(int *p, int *q) { return (p == 0) + *q; }
__attribute__((returns_nonnull)) static int *same(int *p) { return p; }
static const int table[3] = {5, 6, 7};
static int changing = 2;
struct pair { int a, b; };
__attribute__((const)) static int constant(int x) {
  int local[3] = {1, 2, 3};
  local[x] += table[x];
  return local[x] + "abc"[x];
}
__attribute__((const)) static struct pair by_value(struct pair p) {
  p.a += p.b;
  return p;
}
static int helper(int *p) { return ++*p; }
__attribute__((pure)) static int pure(const int *p) {
  int copy = *p;
  return helper(&copy) + changing;
}
__attribute__((malloc, alloc_size(1))) static void *make(size_t n) { return malloc(n); }
static void set(int **at, int *p) { *at = p; }
__attribute__((malloc)) static int *twice(void) {
  int *p = malloc(sizeof *p), *q;
  set(&q, p);
  if (q) *q = 4;
  return q;
}
__attribute__((assume_aligned(16))) static char *aligned(char *p) { return p; }
static int sum(int a[static 2]) { return a[0] + a[1]; }
static int inner(int a[const static 2][3]) { return a[1][2]; }
int main(void) {
  int x = 1, a[3] = {1, 2, 3}, m[2][3] = {{1, 2, 3}, {4, 5, 6}};
  _Alignas(16) char bytes[32] = {9};
  struct pair p = {1, 2};
  char *memory = make(3);
  int printed = 0;
  printed += printf("%d %d %d\n", first("a", 1), listed(0, &x), *same(&x));
  printed += printf("%d %d %d\n", constant(2), pure(&x), by_value(p).a);
  if (memory) memory[2] = 1;
  free(memory);
  int *four = twice();
  if (four) *four = 5;
  free(four);
  printed += printf("%d %d %d\n", *aligned(bytes), sum(a + 1), inner(m));
  char *q = __builtin_assume_aligned(bytes + 16, 16);
  char *r = __builtin_assume_aligned(bytes + 4, 16, 4);
  printed += printf("%d\n", q - r == 12);
  return printed == 0;
}
