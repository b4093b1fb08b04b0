void *malloc(unsigned long);
void *realloc(void *, unsigned long);
void free(void *);
int main(void) {
  char *p = malloc(4), *q;
  if (!p) return 0;
  q = realloc(p, 8);
  if (!q) return 0;
  free(p); //~ UB bad-free
  return 0;
}
