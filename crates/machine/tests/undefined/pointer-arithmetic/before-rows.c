int b[2][3][4];
int main(void) {
  int(*q)[4] = &b[1][1];
  q--;
  return q[-1][0]; //~ UB pointer-arithmetic
}
