#include <stdio.h>
typedef int number __attribute__((unused));
__attribute__((noinline, cold, optimize("O1"), section("mine"))) static int f(int x) { return x; }
extern void stop(void) __attribute__((noreturn, weak));
__attribute__((__noinline__)) static int g(int x) { return x; }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma omp parallel
#pragma STDC FP_CONTRACT OFF
int main(void) {
  number a __attribute__((unused)) = 3;
  printf("%d\n", f(1) + g(2));
  return 0;
}
