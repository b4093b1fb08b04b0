// Memory from malloc has the type of what was last stored.
void *malloc(unsigned long);
void free(void *);
int main(void) {
  void *p = malloc(8);
  if (!p) return 1;
  *(int *)p = 1;
  if (*(int *)p != 1) return 2;
  *(double *)p = 2.0;
  if (*(double *)p != 2.0) return 3;
  free(p);
  return 0;
}
