int main(void) {
  unsigned x = 4294967295u;
  unsigned long y = 0;
  unsigned char c = 255;
  if (x + 1 != 0 || x * x != 1 || -x != 1) return 1;
  y--;
  if (y != 18446744073709551615ul) return 2;
  c++;
  if (c != 0) return 3;
  x += 2;
  if (x != 1) return 4;
  return 0;
}
