int b[2][3][4];
int main(void) {
  int(*q)[4] = &b[0][0];
  q += 3;
  return (*++q)[0]; //~ UB pointer-arithmetic
}
