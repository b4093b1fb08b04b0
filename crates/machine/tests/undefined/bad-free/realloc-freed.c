void *malloc(unsigned long);
void *realloc(void *, unsigned long);
void free(void *);
int main(void) {
  char *p = malloc(4);
  if (!p) return 0;
  free(p);
  return realloc(p, 8) == 0; //~ UB bad-free
}
