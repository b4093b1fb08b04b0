// A double out of the range of float becomes an infinity (Annex F).
int main(void) {
  double x = 1e300;
  float f = x;
  return f > 3e38f ? 0 : 1;
}
