int main(void) {
  double x = 300.0;
  unsigned char c = x; //~ UB float-to-integer
  return c == 0;
}
