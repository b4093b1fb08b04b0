#include <string.h>
struct s { char a[4], b[4]; } s;
int main(void) {
  strcpy(s.a, "abcd"); //~ UB out-of-bounds
  return 0;
}
