// tier: exact
#include <stdio.h>
volatile long double hidden = 0x1p63L;
int main(void) {
    long double x = hidden + 1.0L;
    printf("%d\n", (int)(x - hidden));
    return 0;
}
