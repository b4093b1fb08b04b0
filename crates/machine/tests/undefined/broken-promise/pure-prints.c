#include <stdio.h>
__attribute__((pure)) static int f(int x) {
  puts("here"); //~ UB broken-promise
  return x;
}
int main(void) {
  return f(1);
}
