// A value that is not used need not be there, and main returns 0 by itself.
static int f(int n) {
  if (n) return 1;
}
int main(void) {
  f(0);
  (void)f(0);
  if (f(1) != 1) return 1;
}
