int main(void) {
  double x = -1.0;
  unsigned y = x; //~ UB float-to-integer
  return y == 0;
}
