#include <string.h>
struct s { char a[4], b[4]; } s = { { 'a', 'b', 'c', 'd' }, "ef" };
int main(void) {
  return strlen(s.a); //~ UB out-of-bounds
}
