#include <stdio.h>
__attribute__((constructor)) static void a(void) { puts("a"); }
__attribute__((constructor)) static void b(void) { puts("b"); } //~ UNSPECIFIED compiler
int main(void) {
  return 0;
}
