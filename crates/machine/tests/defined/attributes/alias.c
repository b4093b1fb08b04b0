#include <stdio.h>
static int n;
int next(void) { return ++n; }
int other(void) __attribute__((alias("next")));
int main(void) {
  int (*p)(void) = other;
  int a = other();
  int b = p();
  printf("%d %d %d\n", a, b, p == next);
  return 0;
}
