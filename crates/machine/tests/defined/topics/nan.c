#include <math.h>
#include <stdio.h>
#include <string.h>

// The sign of a constant is known, and stays so where only bits are moved. That a result
// is a NaN is known, too.
struct pair {
  float small;
  long double large;
};

int main(void) {
  volatile double zero = 0;
  double made = zero / zero, copy, negative = -(double)NAN;
  float narrow = made;
  long double wide = narrow;
  struct pair pairs[2] = {{narrow, -wide}};
  memcpy(&copy, &made, sizeof copy);
  pairs[1] = pairs[0];
  printf("%f %f %f\n", NAN, negative, -negative);
  printf("%f %d\n", copysign(negative, 1.0), signbit(negative) != 0);
  printf("%d %d %d\n", made == made, copy != copy, isnan(-wide) != 0);
  printf("%d %d\n", isnan(pairs[1].small) != 0, isnan(pairs[1].large) != 0);
  printf("%d %d\n", isnan(fabs(made)) != 0, isnan(copysign(made, 1.0)) != 0);
  printf("%d %g\n", made ? 1 : 0, fmax(made, 2.0));
  made = 1;
  printf("%g %d\n", made, signbit(made) != 0);
  return 0;
}
