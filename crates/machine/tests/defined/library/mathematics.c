// Results that are exact, and infinities with errno.
#include <errno.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
    volatile double two = 2, ten = 10, zero = 0, minus = -3, half = 0.5;
    printf("%g %g %g %g\n", pow(two, ten), pow(minus, 3), pow(two, -2), pow(1.5, 3));
    printf("%g %g %g %g\n", pow(9, half), pow(zero, two), pow(ten, zero), pow(ten, 22));
    printf("%g %g %g %g\n", exp(zero), exp2(ten), log(half + half), log2(two * 512));
    printf("%g %g %g %g\n", log10(1000 + zero), cbrt(minus * 9), hypot(-minus, two + two), cos(zero));
    printf("%g %g %g %g\n", sin(zero), atan(-zero), sqrt(two * 8), fmod(ten, 4));
    errno = 0;
    double pole = log(zero);
    int number = errno;
    printf("%d %d\n", pole == -HUGE_VAL, number == ERANGE);
    return 0;
}
