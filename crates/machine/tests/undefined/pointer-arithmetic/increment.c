int main(void) {
  int x, *p = &x;
  p++;
  p++; //~ UB pointer-arithmetic
  return 0;
}
