void *memcpy(void *, const void *, unsigned long);
int main(void) {
  int x = 1, *p = &x;
  memcpy(p, &x, sizeof x); //~ UB overlapping-copy
  return 0;
}
