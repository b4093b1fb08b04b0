// An allocator on top of malloc hands out memory again, for another type.
#include <stdlib.h>

static char *pool;
static size_t used;

static void *take(size_t size) {
    void *result = pool + used;
    used += (size + 15) / 16 * 16;
    return result;
}

int main(void) {
    pool = malloc(1024);
    double sum = 0;
    for (int round = 0; round < 3; round++) {
        used = 0;
        int *a = take(4 * sizeof *a);
        double *b = take(2 * sizeof *b);
        if (round % 2) {
            b = (double *)pool;
            a = (int *)(pool + 64);
        }
        a[0] = round;
        b[1] = round;
        sum += a[0] + b[1];
    }
    free(pool);
    return sum != 6;
}
