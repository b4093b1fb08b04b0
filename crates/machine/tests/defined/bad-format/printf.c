int printf(const char *, ...);
int sprintf(char *, const char *, ...);
int snprintf(char *, unsigned long, const char *, ...);
int main(void) {
  char text[8];
  signed char c = -1;
  printf("%d %i %u %x %X %o %c %s %%\n", -1, 2, 3u, 255, 255, 8, 'a', "text");
  printf("[%5d][%-5d][%05d][%+d][% d][%.3d][%#x][%#o]\n", 1, 2, 3, 4, 5, 6, 7, 8);
  printf("%ld %lu %lld %zu %hd %hhd\n", -1l, 1ul, -1ll, sizeof(int), (short)-1, c);
  printf("[%*d][%-*d][%.*s][%.2s][%8s][%-8s]\n", 4, 1, 4, 2, 1, "ab", "abc", "ab", "ab");
  printf("%f %.2f %e %g %g %g\n", 1.5, 2.345, 12345.678, 1e10, 0.0001, 100000.0);
  // An unsigned int for %d is no problem while both have its value; more arguments
  // than conversions are evaluated and ignored.
  printf("%d %u\n", 1u, 2, 3);
  if (sprintf(text, "%d", 1234567) != 7) return 1;
  if (snprintf(text, 4, "%d", 98765) != 5 || text[2] != '7' || text[3] != 0) return 2;
  return 0;
}
