int main(void) {
  int x = 1, y = 0;
  return x / y; //~ UB division-by-zero
}
