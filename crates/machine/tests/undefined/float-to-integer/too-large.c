int main(void) {
  double x = 2147483648.0;
  return (int)x == 0; //~ UB float-to-integer
}
