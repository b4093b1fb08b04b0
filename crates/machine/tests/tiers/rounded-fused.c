// tier: rounded
#include <math.h>
volatile double third = 0.333251953125;
int main(void) {
    double x = third + 0x1p-52;
    return fma(x, x, 1.0) > 1.0;
}
