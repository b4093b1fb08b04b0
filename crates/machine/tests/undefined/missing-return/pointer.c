static int g(int n) {
  switch (n) {
  case 1: return 2;
  }
}
int main(void) {
  int (*f)(int) = g;
  return f(1) + f(2); //~ UB missing-return
}
