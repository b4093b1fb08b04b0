// target: avr
// Where int has 16 bits, a short is not widened.
int main(void) {
  short x = 300, y = 300;
  return x * y; //~ UB signed-overflow
}
