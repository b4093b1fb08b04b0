int main(void) {
  int x, *p = &x, *null = 0;
  return p > null; //~ UB pointer-comparison
}
