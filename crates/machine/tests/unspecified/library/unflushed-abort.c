#include <stdio.h>
#include <stdlib.h>
int main(void) {
  fflush(stdout);
  printf("lost?\n");
  abort(); //~ UNSPECIFIED library
}
