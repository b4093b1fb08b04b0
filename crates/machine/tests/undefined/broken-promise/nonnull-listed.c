__attribute__((nonnull(2))) static int f(int *p, int *q) { //~ UB broken-promise
  return p == q;
}
int main(void) {
  int x = 1;
  return f(&x, 0);
}
