// A pointer to an object that is gone may be copied and passed on: nothing shows its value.
// An integer that was made from it before keeps its own.
void *malloc(unsigned long);
void *memcpy(void *, const void *, unsigned long);
void free(void *);
struct S { char *first, *second; };
char *identity(char *p) { return p; }
int main(void) {
  char *p = malloc(2), *null = 0;
  unsigned long number = (unsigned long)p;
  struct S s = { p, 0 }, t;
  if (!p) return 0;
  free(p);
  t = s;
  memcpy(&s, &t, sizeof t);
  p = identity(t.first);
  if (null) return 1;
  return number == 0;
}
