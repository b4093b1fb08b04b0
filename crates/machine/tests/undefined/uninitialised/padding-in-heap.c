#include <stdlib.h>
#include <string.h>
struct s { char a; int b : 3, c : 9; long d; };
int main(void) {
  struct s *p = malloc(2 * sizeof *p);
  if (!p) return 0;
  memset(p, 0, 2 * sizeof *p);
  for (int i = 0; i < 2; i++) p[i].c = i;
  return ((char *)&p[1])[4]; //~ UB uninitialised
}
