// qsort moves elements with their types.
#include <stdlib.h>

static int compare(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

int main(void) {
    double *p = malloc(5 * sizeof *p);
    for (int i = 0; i < 5; i++)
        p[i] = (i * 3) % 5;
    qsort(p, 5, sizeof *p, compare);
    int bad = 0;
    for (int i = 0; i < 5; i++)
        bad |= p[i] != i;
    free(p);
    return bad;
}
