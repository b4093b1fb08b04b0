// A union may be read through another member than the one that was written.
#include <stdlib.h>

union number {
    int i;
    float f;
    short s[2];
    struct {
        unsigned low : 16, high : 16;
    } b;
};

struct box {
    int tag;
    union number u;
};

int main(void) {
    union number *u = malloc(sizeof *u);
    struct box *b = malloc(2 * sizeof *b);
    u->f = 0;
    int sum = u->i;
    u->s[0] = 1;
    u->s[1] = 0;
    sum += u->i;
    sum += u->b.low;
    b->u.f = 0;
    sum += b->u.i;
    b[1] = *b;
    sum += b[1].u.i;
    b[1].u = *u;
    sum += b[1].u.i;
    union number copy = {.f = 0};
    *u = copy;
    sum += u->i;
    free(u);
    free(b);
    return sum - 3;
}
