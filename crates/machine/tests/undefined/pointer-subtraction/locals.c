int main(void) {
  int a, b;
  return &a - &b == 1; //~ UB pointer-subtraction
}
