static int f(void) { }
int main(void) {
  if (f()) return 1; //~ UB missing-return
  return 0;
}
