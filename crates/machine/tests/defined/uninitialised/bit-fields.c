#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct s {
  unsigned a : 3, : 2, b : 7;
  _Bool c : 1;
  long long d : 40;
};

static struct s changed(struct s s) {
  s.a++;
  return s;
}

// Bit-fields with a value in bytes of which other bits have none.
int main(void) {
  struct s s, t, *heap = malloc(sizeof *heap);
  s.a = 5;
  s.d = -3;
  t = s;
  memcpy(heap, &t, sizeof t);
  for (unsigned i = 0; i < sizeof s; i++)
    ((char *)&t)[i] = ((unsigned char *)heap)[i];
  t = changed(t);
  t.b = 100;
  t.c = 1;
  printf("%u %u %d %lld\n", t.a, t.b, t.c, (long long)t.d);
  struct s listed = {.b = 3};
  printf("%u %u %d %lld\n", listed.a, listed.b, listed.c, (long long)listed.d);
  memset(heap, 0, sizeof *heap);
  printf("%u %d\n", heap->b, heap->c);
  free(heap);
  return 0;
}
