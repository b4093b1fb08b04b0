#include <string.h>
struct s { int a, b, c; } s;
int main(void) {
  memset(&s.b, 1, sizeof s - sizeof s.a); //~ UNSPECIFIED compiler
  return 0;
}
