// target: avr
int main(void) {
  if (sizeof(int) != 2 || sizeof(long) != 4 || sizeof(void *) != 2) return 1;
  unsigned x = 65535;
  x++;
  long product = 300l * 300;
  return x == 0 && product == 90000 ? 0 : 2;
}
