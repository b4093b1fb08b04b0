void *malloc(unsigned long);
int main(void) {
  int *p = malloc(8);
  if (!p) return 0;
  p[0] = 1;
  return p[1]; //~ UB uninitialised
}
