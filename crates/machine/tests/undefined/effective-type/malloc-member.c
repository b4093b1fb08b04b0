#include <stdlib.h>

struct a {
    int tag;
    double value;
};

struct b {
    int tag;
    long value;
};

int main(void) {
    struct a *p = malloc(sizeof *p);
    p->tag = 1;
    p->value = 2;
    struct b *q = (struct b *)p;
    return q->value != 0; //~ UB effective-type
}
