// The value of a pointer is indeterminate once its object is gone (C11 6.2.4p2).
void *malloc(unsigned long);
void free(void *);
int main(void) {
  char *p = malloc(2), *q = p;
  if (!p) return 0;
  free(p);
  return p == q; //~ UB dangling
}
