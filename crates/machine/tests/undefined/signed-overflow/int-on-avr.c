// target: avr
int main(void) {
  int x = 32767;
  return x + 1; //~ UB signed-overflow
}
