static int f(int n) {
  switch (n) {
  case 0: return 1;
  case 1: return 2;
  default: __builtin_unreachable(); //~ UB unreachable
  }
}
int main(void) { return f(0) + f(1) + f(2); }
