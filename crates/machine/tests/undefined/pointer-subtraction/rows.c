int a[3][4];
int main(void) {
  return &a[1][0] - &a[0][0]; //~ UB pointer-subtraction
}
