void *malloc(unsigned long);
void *realloc(void *, unsigned long);
int main(void) {
  char *p = malloc(1);
  if (!p) return 0;
  p[0] = 1;
  p = realloc(p, 2);
  if (!p) return 0;
  return p[1]; //~ UB uninitialised
}
