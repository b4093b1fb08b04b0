// Outside their domain functions give a NaN, and errno says so.
#include <errno.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
    volatile double minus = -1, zero = 0, two = 2;
    double all[5];
    all[0] = sqrt(minus);
    all[1] = log(minus);
    all[2] = acos(two);
    all[3] = pow(minus, 0.5);
    all[4] = fmod(two, zero);
    int number = errno;
    for (int i = 0; i < 5; i++)
        if (!isnan(all[i]))
            return 1;
    printf("%d\n", number == EDOM);
    return 0;
}
