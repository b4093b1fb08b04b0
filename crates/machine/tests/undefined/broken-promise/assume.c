int main(void) {
  int x = 3;
  __builtin_assume(x == 4); //~ UB broken-promise
  return x;
}
