// target: avr
int main(void) {
  int x = 1;
  long y = x << 15; //~ UB shift-overflow
  return y == 0;
}
