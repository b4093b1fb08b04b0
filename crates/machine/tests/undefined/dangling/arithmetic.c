void *malloc(unsigned long);
void free(void *);
int main(void) {
  char *p = malloc(2);
  if (!p) return 0;
  free(p);
  p = p + 1; //~ UB dangling
  return 0;
}
