// A pointer survives being copied byte by byte.
int main(void) {
  int x = 0, *p = &x, *q;
  unsigned char *from = (unsigned char *)&p, *to = (unsigned char *)&q;
  for (unsigned i = 0; i < sizeof p; i++)
    to[i] = from[i];
  return *q;
}
