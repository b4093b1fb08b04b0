static short cut(double x) {
  return x; //~ UB float-to-integer
}
int main(void) { return cut(-32769.0) == 0; }
