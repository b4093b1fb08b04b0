static _Alignas(8) char x[16];
int main(void) {
  x[8] = 1;
  char *p = (char *)((unsigned long)&x[9] & ~7ul);
  if (*p != 1) return 1;
  p = (char *)((unsigned long)&x[9] & ~15ul); //~ UNSPECIFIED address
  return *p;
}
