int divide(int a, int b) { return b == 0 ? 0 : a / b; }
int main(void) {
  int zero = 0;
  if (divide(1, 0) != 0 || divide(7, -2) != -3) return 1;
  if (-7 % 2 != -1 || 7 % -2 != 1) return 2;
  return zero && 1 / zero;
}
