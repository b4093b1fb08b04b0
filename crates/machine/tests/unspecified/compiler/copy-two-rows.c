#include <string.h>
int a[2][2], b[2][2];
int main(void) {
  memcpy(a[0], b[0], sizeof a); //~ UNSPECIFIED compiler
  return 0;
}
