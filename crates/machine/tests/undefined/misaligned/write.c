void *malloc(unsigned long);
int main(void) {
  char *p = malloc(16);
  if (!p) return 0;
  long *q = (long *)(p + 4); //~ UB misaligned
  *q = 1;
  return 0;
}
