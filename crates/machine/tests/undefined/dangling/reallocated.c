void *malloc(unsigned long);
void *realloc(void *, unsigned long);
int main(void) {
  char *p = malloc(1), *q;
  if (!p) return 0;
  *p = 1;
  q = realloc(p, 1000);
  if (!q) return 0;
  return *p; //~ UB dangling
}
