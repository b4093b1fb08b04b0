int main(void) {
  float x = 9223372036854775808.0f;
  long y = x; //~ UB float-to-integer
  return y == 0;
}
