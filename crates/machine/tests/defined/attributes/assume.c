// compiler: none
#include <stdio.h>
static int f(int x) {
  __attribute__((assume(x > 0)));
  return x;
}
int main(void) {
  printf("%d\n", f(3));
  return 0;
}
