#include <stdlib.h>
__attribute__((pure)) static int f(int x) {
  if (x) exit(0); //~ UB broken-promise
  return x;
}
int main(void) {
  return f(1);
}
