// target: avr
int main(void) {
  unsigned x = 1;
  int count = 16;
  return (x << count) != 0; //~ UB shift-count
}
