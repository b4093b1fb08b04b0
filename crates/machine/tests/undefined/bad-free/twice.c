void *malloc(unsigned long);
void free(void *);
int main(void) {
  char *p = malloc(4);
  if (!p) return 0;
  free(p);
  free(p); //~ UB bad-free
  return 0;
}
