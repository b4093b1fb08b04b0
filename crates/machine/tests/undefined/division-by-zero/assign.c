int main(void) {
  int x = 10, i;
  for (i = 3; i >= 0; i--)
    x /= i; //~ UB division-by-zero
  return x;
}
