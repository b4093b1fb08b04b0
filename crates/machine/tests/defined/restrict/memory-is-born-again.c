// The same memory is another object after free, and another local in each round.
#include <stdlib.h>

static int f(int *restrict p) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int *q = malloc(sizeof *q);
        int local = i;
        int *at = &local;
        *q = *at;
        sum += *q;
        free(q);
    }
    *p = sum;
    return *p;
}

int main(void) {
    int *p = malloc(sizeof *p);
    int result = f(p);
    free(p);
    return result - 3;
}
