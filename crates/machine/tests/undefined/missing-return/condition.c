static int f(void) { } //~ UB missing-return
int main(void) {
  if (f()) return 1;
  return 0;
}
