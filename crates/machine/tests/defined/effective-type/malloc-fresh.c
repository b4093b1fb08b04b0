// Zeros from calloc, memset and characters have no type of their own.
#include <stdlib.h>
#include <string.h>

int main(void) {
    int *p = calloc(4, sizeof *p);
    float *q = (float *)p;
    int sum = p[0];
    sum += q[0] != 0;
    p[1] = 5;
    memset(p, 0, 16);
    sum += q[1] != 0;
    p[2] = 77;
    unsigned char *c = (unsigned char *)p;
    c[8] = c[9] = c[10] = c[11] = 0;
    sum += q[2] != 0;
    long *l = (long *)(p + 2);
    p[2] = 1;
    memset(c + 8, 0, 4);
    sum += (int)*l;
    free(p);
    return sum;
}
