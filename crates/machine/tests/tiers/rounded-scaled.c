// tier: rounded
#include <math.h>
volatile double hidden = 1.5;
int main(void) { return ldexp(hidden, -1074) == 0x1p-1073 ? 3 : 4; }
