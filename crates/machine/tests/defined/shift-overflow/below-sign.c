int main(void) {
  int x = 1;
  long y = 1;
  unsigned char c = 127;
  if (x << 30 != 1073741824 || y << 62 != 4611686018427387904) return 1;
  if (0 << 31 != 0) return 2;
  if (c << 24 != 2130706432) return 3;
  if ((unsigned)-1 << 31 != 2147483648u) return 4;
  // Right shifts of negative numbers are implementation-defined: arithmetic.
  if (-1 >> 1 != -1) return 5;
  return 0;
}
