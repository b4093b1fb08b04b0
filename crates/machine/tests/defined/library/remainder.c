#include <math.h>
#include <stdio.h>

// Functions whose results are exact, or rounded once, in every format.
int main(void) {
  volatile double x = 1e300, y = 7.5, tiny = 0x1p-1074;
  volatile float f = 4.5f;
  volatile long double l = 0x1.8p70L;
  printf("%a %a %a\n", remainder(x, 3.0), remainder(y, 3.0), remainder(-y, -2.5));
  printf("%a %a %a\n", (double)remainderf(f, 3.0f), remainder(-6.0, 3.0), remainder(y, x));
  printf("%d\n", (int)remainderl(l, 7.0L));
  printf("%a %a %a\n", nextafter(y, x), nextafter(tiny, -1.0), nextafter(0.0, -x));
  printf("%a %a\n", (double)nextafterf(f, 0.0f), nexttoward(y, y + 1e-20L));
  printf("%a\n", nexttoward(1.0, 1.0L + 0x1p-60L));
  printf("%d\n", fmal(l, l, -l * l + 3.0L) == 3.0L);
  printf("%d\n", isnan(remainder(y, 0.0)) != 0);
  return 0;
}
