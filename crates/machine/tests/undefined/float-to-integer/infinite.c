int main(void) {
  float zero = 0.0f;
  long x = (long)(1.0f / zero); //~ UB float-to-integer
  return x == 0;
}
