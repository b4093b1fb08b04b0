// The order of bytes is that of the target, which is known.
int main(void) {
  unsigned x = 0x01020304;
  unsigned char *p = (unsigned char *)&x;
  return p[0] == 4 && p[3] == 1 ? 0 : 1;
}
