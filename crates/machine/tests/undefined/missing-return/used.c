static int f(int n) {
  if (n > 0) return 1;
}
int main(void) { return f(0); } //~ UB missing-return
