void *malloc(unsigned long);
void *realloc(void *, unsigned long);
int main(void) {
  char *p = malloc(8);
  if (!p) return 0;
  p = realloc(p, 4);
  if (!p) return 0;
  p[4] = 1; //~ UB out-of-bounds
  return 0;
}
