// Only a byte in memory from malloc tells the rounds apart.
#include <stdlib.h>

int main(void) {
    unsigned char *p = calloc(1000, 1);
    int carry = 0;
    while (p[2] < 3) {
        int i = 0;
        do {
            carry = ++p[i] == 0;
            i++;
        } while (carry && i < 3);
    }
    free(p);
    return 0;
}
