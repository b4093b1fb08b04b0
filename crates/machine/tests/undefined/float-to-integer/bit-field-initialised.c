int main(void) {
  double five = -5;
  struct {
    signed char a : 3;
  } s = {five}; //~ UB float-to-integer
  return s.a;
}
