void *malloc(unsigned long);
int main(void) {
  char *p = malloc(0);
  if (!p) return 0;
  *p = 1; //~ UB out-of-bounds
  return 0;
}
