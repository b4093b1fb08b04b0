// tier: exact
#include <stdio.h>
volatile float hidden = 3.0f;
int main(void) {
    printf("%.3f %g\n", hidden * 1.5f, (double)(hidden - 8.0f));
    return 0;
}
