void *malloc(unsigned long);
int main(void) {
  int *p = malloc(2 * sizeof(int));
  if (!p) return 0;
  p[0] = p[1] = 0;
  return p[2]; //~ UB out-of-bounds
}
