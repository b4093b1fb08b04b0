int main(void) {
  unsigned x = 1;
  unsigned long y = 1;
  unsigned char c = 255;
  int negative = -8;
  if (x << 31 != 2147483648u || (x << 31) >> 31 != 1) return 1;
  if (y << 63 != 9223372036854775808ul) return 2;
  if (c >> 31 != 0 || c << 20 != 267386880) return 3;
  if (negative >> 31 != -1 || negative >> 2 != -2) return 4;
  if (x << 0 != 1 || 5 >> 0 != 5) return 5;
  // The type of the count does not matter.
  if (x << 31ul != 2147483648u) return 6;
  return 0;
}
