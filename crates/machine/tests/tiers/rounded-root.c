// tier: rounded
#include <math.h>
volatile double two = 2.0;
int main(void) { return sqrt(two) > 1.4 ? 3 : 4; }
