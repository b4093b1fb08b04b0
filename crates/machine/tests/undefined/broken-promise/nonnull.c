__attribute__((nonnull)) static int is_null(char *p, int n) { //~ UB broken-promise
  return p == 0 && n;
}
int main(void) {
  return is_null(0, 1);
}
