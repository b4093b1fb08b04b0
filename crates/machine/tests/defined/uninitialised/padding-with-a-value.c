#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct s {
  char a;
  int b;
};
static struct s zeros[2];

// Padding that got a value, with no store into a member since.
int main(void) {
  struct s s, t, *p = calloc(1, sizeof *p);
  memset(&s, 1, sizeof s);
  memcpy(&t, &s, sizeof t);
  printf("%d\n", memcmp(&s, &t, sizeof s));
  printf("%d\n", memcmp(p, &zeros[1], sizeof *p));
  s.a = 3;
  ((unsigned char *)&s)[1] = 7;
  printf("%d %d\n", ((unsigned char *)&s)[1], s.b);
  t = s;
  printf("%d %d\n", t.a, t.b);
  zeros[0].a = 1;
  printf("%d\n", ((char *)&zeros[1])[2]);
  free(p);
  return 0;
}
