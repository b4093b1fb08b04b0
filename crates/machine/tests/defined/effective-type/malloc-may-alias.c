#include <stdlib.h>

typedef int __attribute__((may_alias)) any;

int main(void) {
    float *p = malloc(sizeof *p);
    *p = 0;
    int sum = *(any *)p;
    *(any *)p = 0;
    sum += *p != 0;
    free(p);
    return sum;
}
