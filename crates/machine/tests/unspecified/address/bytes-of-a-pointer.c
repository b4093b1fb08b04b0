int printf(const char *, ...);
int main(void) {
  int x, *p = &x;
  unsigned char *bytes = (unsigned char *)&p;
  return bytes[0] > 7; //~ UNSPECIFIED address
}
