static int choose(int n) {
  int x;
  if (n) x = 1;
  return n ? x : 0;
}
int main(void) {
  int unused, *p = &unused;
  (void)p;
  unsigned long size = sizeof unused;
  return choose(0) + choose(1) - 1 + (int)size - 4;
}
