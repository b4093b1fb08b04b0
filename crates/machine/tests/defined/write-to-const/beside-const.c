#include <stdlib.h>
#include <string.h>
struct s { int a; const int b; const unsigned c : 3; unsigned d : 5; };

/* What is beside a const member may be written, and memory from malloc is not const. */
int main(void) {
  struct s s = { 1, 2, 3, 4 };
  memset(&s, 0, sizeof s.a);
  s.d = 7;
  struct s *p = malloc(sizeof *p);
  if (!p) return 0;
  memcpy(p, &s, sizeof *p);
  int result = p->a + s.a + (p->b != 2) + (p->c != 3) + (p->d != 7);
  free(p);
  return result;
}
