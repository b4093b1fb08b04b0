void *malloc(unsigned long);
int main(void) {
  char *p = malloc(4);
  if (!p) return 0;
  p += 5; //~ UB pointer-arithmetic
  return 0;
}
