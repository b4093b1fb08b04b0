static int f(int n) {
  int r = 0;
  switch (n) {
  case 1: r += 1; // fall through
  case 2: r += 2; break;
  case 3 ... 5: r = 35; break;
  default: r = -1;
  }
  return r;
}
int main(void) {
  return f(1) == 3 && f(2) == 2 && f(4) == 35 && f(9) == -1 ? 0 : 1;
}
