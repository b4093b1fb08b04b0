void *memcpy(void *, const void *, unsigned long);
int main(void) {
  char from[4] = "abc", to[8];
  memcpy(to, from, 5); //~ UB out-of-bounds
  return 0;
}
