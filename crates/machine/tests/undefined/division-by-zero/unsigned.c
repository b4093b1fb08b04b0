int main(void) {
  unsigned x = 1;
  unsigned char y = 0;
  return x / y; //~ UB division-by-zero
}
