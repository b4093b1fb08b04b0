__attribute__((returns_nonnull)) static int *f(int *p) {
  return p; //~ UB broken-promise
}
int main(void) {
  return f(0) == 0;
}
