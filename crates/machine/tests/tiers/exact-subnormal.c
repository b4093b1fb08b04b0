// tier: exact
#include <stdio.h>
volatile double hidden = 0x1p-1000L;
int main(void) {
    double x = hidden;
    for (int i = 0; i < 60; i++) x /= 2.0;
    printf("%a\n", x);
    return 0;
}
