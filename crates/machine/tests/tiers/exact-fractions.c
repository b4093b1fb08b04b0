// tier: exact
#include <stdio.h>
volatile double hidden = 0.375;
int main(void) {
    double x = hidden * 3.0 + 0.5;
    float y = (float)x / 4.0f;
    printf("%a %a\n", x, (double)y);
    return 0;
}
