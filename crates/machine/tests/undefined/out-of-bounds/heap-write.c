void *malloc(unsigned long);
int main(void) {
  char *p = malloc(3);
  if (!p) return 0;
  for (int i = 0; i < 4; i++)
    p[i] = 'x'; //~ UB out-of-bounds
  return 0;
}
