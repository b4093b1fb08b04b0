int main(void) {
  double zero = 0.0;
  int x = (int)(zero / zero); //~ UB float-to-integer
  return x == 0;
}
