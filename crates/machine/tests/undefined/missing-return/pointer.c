static int g(int n) { //~ UB missing-return
  switch (n) {
  case 1: return 2;
  }
}
int main(void) {
  int (*f)(int) = g;
  return f(1) + f(2);
}
