// A byte without a value may be copied, through memory and through locals: as in a
// swap of structures with padding.
struct padded { char c; int i; };
int main(void) {
  struct padded a, b;
  a.c = 1;
  a.i = 2;
  b.c = 3;
  b.i = 4;
  unsigned char *p = (unsigned char *)&a, *q = (unsigned char *)&b;
  for (unsigned i = 0; i < sizeof a; i++) {
    unsigned char byte = p[i];
    p[i] = q[i];
    q[i] = byte;
  }
  return a.c == 3 && a.i == 4 && b.c == 1 && b.i == 2 ? 0 : 1;
}
