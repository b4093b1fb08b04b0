// tier: free
#include <stdio.h>
volatile int hidden = 100;
int main(void) {
    double s = 0;
    float f = 0;
    for (int i = 0; i < hidden; i++) {
        s += i * 3.0 - (i & 7) * 0.5;
        f = f + (i & 15) / 4.0f;
    }
    printf("%d %d\n", (int)(s * 2), (int)(f * 4.0f));
    return 0;
}
