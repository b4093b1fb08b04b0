void *memset(void *, int, unsigned long);
int main(void) {
  int a[4];
  memset(a, 0, sizeof a + 1); //~ UB out-of-bounds
  return a[0];
}
