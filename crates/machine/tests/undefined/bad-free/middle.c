void *malloc(unsigned long);
void free(void *);
int main(void) {
  char *p = malloc(4);
  if (!p) return 0;
  free(p + 1); //~ UB bad-free
  return 0;
}
