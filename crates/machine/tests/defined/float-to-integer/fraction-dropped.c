int main(void) {
  double x = 2147483647.9, y = -2147483648.9, z = -0.9;
  if ((int)x != 2147483647 || (int)y != -2147483647 - 1) return 1;
  if ((unsigned)z != 0 || (unsigned char)255.5 != 255) return 2;
  if ((unsigned long)18446744073709549568.0 != 18446744073709549568ul) return 3;
  return 0;
}
