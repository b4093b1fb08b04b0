void *malloc(unsigned long);
void *calloc(unsigned long, unsigned long);
void free(void *);
int main(void) {
  free(0);
  char *p = malloc(4), *q = calloc(2, 2), *r = malloc(0);
  free(r);
  free(q);
  char *moved = p + 2;
  free(moved - 2);
  return 0;
}
