// tier: exact
#include <math.h>
volatile double hidden = 0.0;
int main(void) {
    double x = -hidden * 3.0;
    return signbit(x) ? 7 : 3;
}
