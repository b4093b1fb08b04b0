#include <string.h>
struct s { int a; const int b; };
int main(void) {
  struct s s = { 1, 2 };
  memset(&s, 0, sizeof s); //~ UB write-to-const
  return s.b;
}
