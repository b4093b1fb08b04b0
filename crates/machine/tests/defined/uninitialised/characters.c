// A byte without a value goes through locals, and through types of characters.
struct s {
  char a;
  int b;
};
int main(void) {
  struct s s, t;
  s.a = 1;
  s.b = 2;
  const signed char *from = (const signed char *)&s;
  unsigned char *to = (unsigned char *)&t;
  for (unsigned i = 0; i < sizeof s; i++) {
    signed char byte = from[i];
    unsigned char again = byte;
    to[i] = again;
  }
  _Complex float z;
  __real__ z = 1;
  __imag__ z = 2;
  _Complex float copy = z;
  return t.a == 1 && t.b == 2 && copy == z ? 0 : 1;
}
