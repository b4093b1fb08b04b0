void *malloc(unsigned long);
int main(void) {
  char *p = malloc(1), *q = malloc(1);
  return p <= q; //~ UB pointer-comparison
}
