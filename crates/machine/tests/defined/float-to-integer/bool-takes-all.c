// A conversion to _Bool compares with 0.
int main(void) {
  double zero = 0.0, huge = 1e300;
  _Bool a = huge, b = zero / zero, c = -zero;
  return a && b && !c ? 0 : 1;
}
