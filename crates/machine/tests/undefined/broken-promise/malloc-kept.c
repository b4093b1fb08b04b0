#include <stdlib.h>
static int *kept;
__attribute__((malloc)) static int *f(void) {
  kept = malloc(sizeof *kept);
  return kept; //~ UB broken-promise
}
int main(void) {
  int *p = f();
  if (!p) return 0;
  *p = 1;
  *kept = 2;
  return *p;
}
