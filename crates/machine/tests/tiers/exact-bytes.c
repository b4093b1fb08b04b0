// tier: exact
#include <string.h>
volatile double hidden = 1024.0;
int main(void) {
    double x = hidden + 0.25;
    unsigned char bytes[sizeof x];
    memcpy(bytes, &x, sizeof x);
    return bytes[6] ^ bytes[5];
}
