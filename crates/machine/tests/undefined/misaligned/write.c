void *malloc(unsigned long);
int main(void) {
  char *p = malloc(16);
  if (!p) return 0;
  long *q = (long *)(p + 4);
  *q = 1; //~ UB misaligned
  return 0;
}
