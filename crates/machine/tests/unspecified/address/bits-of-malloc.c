#include <stdlib.h>
int main(void) {
  char *p = malloc(1);
  // C23 7.24.3: it need not be aligned for more than one byte.
  return ((unsigned long)p & 7) != 0; //~ UNSPECIFIED address
}
