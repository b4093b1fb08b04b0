void *malloc(unsigned long);
int main(void) {
  char *p = malloc(4), *q = malloc(4);
  if (!p || !q) return 0;
  return q - p == 4; //~ UB pointer-subtraction
}
