// std: c23
#include <string.h>
int main(void) {
  unsigned _BitInt(7) x = 3;
  unsigned char byte;
  memcpy(&byte, &x, 1);
  return byte == 3; //~ UB uninitialised
}
