#include <stdlib.h>
__attribute__((alloc_size(1))) static void *f(size_t n) {
  return malloc(n - 1); //~ UB broken-promise
}
int main(void) {
  free(f(8));
  return 0;
}
