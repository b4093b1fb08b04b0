// Even where nothing is copied, the pointers must be valid (C11 7.24.1p2).
void *memcpy(void *, const void *, unsigned long);
int main(void) {
  char c = 0;
  memcpy(&c, 0, 0); //~ UB null-dereference
  return c;
}
