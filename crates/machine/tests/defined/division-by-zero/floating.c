// With IEC 60559 arithmetic, which all targets have, division by zero is infinity.
int main(void) {
  double zero = 0.0;
  double infinite = 1.0 / zero;
  float f = -1.0f / (float)zero;
  return infinite > 1e308 && f < -1e38f ? 0 : 1;
}
