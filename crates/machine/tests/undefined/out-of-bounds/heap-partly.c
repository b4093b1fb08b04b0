// The first half of the int is inside, the second is not.
void *malloc(unsigned long);
int main(void) {
  int *p = malloc(6);
  if (!p) return 0;
  p[0] = 1;
  p[1] = 2; //~ UB out-of-bounds
  return 0;
}
