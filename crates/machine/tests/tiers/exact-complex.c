// tier: exact
#include <complex.h>
#include <stdio.h>
volatile double hidden = 1.5;
int main(void) {
    double _Complex x = hidden + 2.0 * I;
    double _Complex y = x * x;
    printf("%a %a\n", creal(y), cimag(y));
    return 0;
}
