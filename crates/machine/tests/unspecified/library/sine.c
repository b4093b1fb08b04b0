// Libraries round this in different ways.
#include <math.h>
#include <stdio.h>

int main(void)
{
    volatile double x = 1;
    printf("%.17g\n", sin(x)); //~ UNSPECIFIED library
    return 0;
}
