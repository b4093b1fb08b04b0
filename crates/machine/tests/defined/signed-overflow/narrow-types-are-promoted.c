// The arithmetic is done in int; only the conversion back cuts, which is
// implementation-defined and wraps.
int main(void) {
  short s = 32767;
  signed char c = 127;
  s = s + 1;
  c++;
  if (s != -32768 || c != -128) return 1;
  s = -32768;
  s = -s;
  if (s != -32768) return 2;
  c = -128;
  if (c / -1 != 128) return 3;
  return 0;
}
