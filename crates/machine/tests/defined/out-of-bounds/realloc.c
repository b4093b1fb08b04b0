void *malloc(unsigned long);
void *realloc(void *, unsigned long);
void free(void *);
int main(void) {
  int *p = malloc(4);
  if (!p) return 1;
  p[0] = 7;
  p = realloc(p, 40);
  if (!p || p[0] != 7) return 2;
  p[9] = 1;
  p = realloc(p, 4);
  if (!p || p[0] != 7) return 3;
  free(p);
  p = realloc(0, 8);
  if (!p) return 4;
  p[1] = 1;
  free(p);
  return 0;
}
