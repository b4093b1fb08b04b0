// tier: free
#include <stdio.h>
static double a[40], b[40];
static float c[40];
volatile int hidden = 40;
int main(void) {
    int n = hidden;
    for (int i = 0; i < n; i++) {
        a[i] = i * 7 % 31 - 10;
        b[i] = (i & 3) * 0.25;
        c[i] = i * 5 & 63;
    }
    double dot = 0;
    for (int i = 0; i < n; i++) dot += a[i] * b[i] + c[i];
    int above = 0;
    for (int i = 0; i < n; i++) above += a[i] * 2.0 > b[i] + 3.0;
    for (int i = 2; i < n; i++) c[i] = (float)((long long)(c[i - 1] * 2.0f + c[i - 2]) & 127);
    float total = 0;
    for (int i = 0; i < n; i++) total += c[i];
    printf("%d %d %d\n", (int)(dot * 4), above, (int)total);
    return 0;
}
