void *malloc(unsigned long);
int main(void) {
  char *p = malloc(32);
  if (!p) return 0;
  *(double *)(p + 4) = 1.0; //~ UB misaligned
  return 0;
}
