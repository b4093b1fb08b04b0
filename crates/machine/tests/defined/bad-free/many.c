// What is freed costs nothing: these would be 40 GB.
#include <stdlib.h>

int main(void) {
    long sum = 0;
    for (unsigned i = 0; i < 100000; i++) {
        unsigned *p = malloc(i % 7 * 100 + sizeof *p);
        char *q = malloc(400000);
        *p = i;
        q[i % 1000] = 1;
        sum += *p + q[i % 1000];
        free(p);
        free(q);
    }
    return sum != 5000050000;
}
