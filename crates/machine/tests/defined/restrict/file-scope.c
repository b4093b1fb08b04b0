#include <stdlib.h>

double *restrict a, *restrict b;

static void fill(double *p, int n) {
    for (int i = 0; i < n; i++)
        p[i] = i;
}

int main(void) {
    a = malloc(8 * sizeof *a);
    b = malloc(8 * sizeof *b);
    fill(a, 8);
    double sum = 0;
    for (int i = 0; i < 8; i++) {
        b[i] = a[i];
        sum += b[i];
    }
    double *last = &a[7];
    *last = sum;
    free(b);
    b = malloc(sizeof *b);
    *b = a[7];
    return *b != 28;
}
