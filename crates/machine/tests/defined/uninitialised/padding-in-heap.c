#include <stdlib.h>
#include <string.h>
struct s { char a; int b : 3, c : 9; long d; };

/* Members keep their values, and padding that is set last has one. */
int main(void) {
  struct s *p = malloc(2 * sizeof *p);
  if (!p) return 0;
  memset(p, 0, 2 * sizeof *p);
  p[0].a = 1;
  p[1].c = 5;
  int result = p[0].a + p[0].b + p[1].c + (int)p[1].d;
  memset(p, 0, sizeof *p);
  result += ((char *)p)[1] + ((char *)&p[1].d)[1];
  free(p);
  return result - 6;
}
