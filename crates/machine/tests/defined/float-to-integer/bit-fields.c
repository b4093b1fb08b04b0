struct {
  unsigned a : 3;
  signed b : 3;
  _Bool c : 1;
  unsigned long long d : 40;
} s;
int main(void) {
  double seven = 7.5, low = -4.9, large = 1099511627775.0;
  s.a = seven;
  s.b = low;
  s.c = seven;
  s.d = large;
  if (s.a != 7 || s.b != -4 || s.c != 1 || s.d != 1099511627775)
    return 1;
  // The cast converts to the declared type; the rest is a conversion of integers.
  s.a = (unsigned)(large / 4294967296.0);
  return s.a != 7;
}
