// tier: exact
#include <math.h>
#include <stdio.h>
volatile double hidden = 6.25;
int main(void) {
    int power;
    double whole;
    double x = hidden;
    printf("%a %a %a %a\n", sqrt(x), fma(x, 3.0, 0.5), floor(x), ceil(-x));
    printf("%a %a %a %a\n", trunc(x), rint(2.5), fmod(x, 1.5), ldexp(x, 3));
    printf("%a %a %ld\n", frexp(x, &power), modf(x, &whole), lrint(x));
    printf("%a %a %d\n", fmin(x, 3.0), copysign(x, -1.0), power);
    return 0;
}
