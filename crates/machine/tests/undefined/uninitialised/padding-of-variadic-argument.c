#include <stdarg.h>
struct s {
  char a;
  int b;
} global;
static int f(int n, ...) {
  va_list list;
  va_start(list, n);
  struct s s = va_arg(list, struct s);
  va_end(list);
  return ((char *)&s)[2]; //~ UB uninitialised
}
int main(void) { return f(1, global); }
