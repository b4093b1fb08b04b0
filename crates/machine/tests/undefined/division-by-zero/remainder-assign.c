int main(void) {
  long x = 10;
  long y = 0;
  x %= y; //~ UB division-by-zero
  return 0;
}
