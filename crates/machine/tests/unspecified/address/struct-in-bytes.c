struct a { int x, y; };
int main(void) {
  struct { char c; char bytes[sizeof(struct a) + 7]; } buffer = { 0 };
  struct a *p = (struct a *)(&buffer.bytes[0]); //~ UNSPECIFIED address
  struct a a = *p;
  return a.x;
}
