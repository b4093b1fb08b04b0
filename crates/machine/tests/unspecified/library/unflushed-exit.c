#include <stdio.h>
#include <stdlib.h>
int main(void) {
  printf("lost?\n");
  _Exit(0); //~ UNSPECIFIED library
}
