int main(void) {
  unsigned char c = 300 & 511;
  signed char s = (signed char)200;
  if (c != 44 || s != -56) return 1;
  if ((unsigned)-1 != 4294967295u || (long)(int)4294967295u != -1) return 2;
  // The usual arithmetic conversions: -1 becomes huge.
  if (-1 < 1u || !(-1l < 1u)) return 3;
  return (short)65537 - 1;
}
