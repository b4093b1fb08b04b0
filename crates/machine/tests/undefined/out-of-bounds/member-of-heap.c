#include <stdlib.h>
struct s { int m[2], n; };
int main(void) {
  struct s *s = malloc(sizeof *s);
  if (!s) return 0;
  s->n = 3;
  int *p = s->m;
  p[2] = 1; //~ UB out-of-bounds
  return 0;
}
