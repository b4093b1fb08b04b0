void *calloc(unsigned long, unsigned long);
int main(void) {
  char *p = calloc(8, 1);
  if (!p) return 0;
  int *q = (int *)(p + 1); //~ UB misaligned
  return *q;
}
