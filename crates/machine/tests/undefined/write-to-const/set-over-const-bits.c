#include <string.h>
struct s { int a; const unsigned b : 3; unsigned c : 5; };
int main(void) {
  struct s s = { 1, 2, 3 };
  memset(&s, 0, sizeof s); //~ UB write-to-const
  return s.b;
}
