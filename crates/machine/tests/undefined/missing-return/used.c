static int f(int n) { //~ UB missing-return
  if (n > 0) return 1;
}
int main(void) { return f(0); }
