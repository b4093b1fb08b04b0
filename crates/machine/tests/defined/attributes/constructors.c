#include <stdio.h>
#include <stdlib.h>
static int n;
__attribute__((constructor)) static void last(void) { printf("last %d\n", n++); }
__attribute__((constructor(102))) static void second(void) { printf("second %d\n", n++); }
__attribute__((constructor(101))) static void first(void) { printf("first %d\n", n++); }
__attribute__((destructor(101))) static void end(void) { printf("end %d\n", n++); }
__attribute__((destructor)) static void before(void) { printf("before %d\n", n++); }
static void handler(void) { printf("handler %d\n", n++); }
int main(void) {
  atexit(handler);
  printf("main %d\n", n++);
  return 0;
}
