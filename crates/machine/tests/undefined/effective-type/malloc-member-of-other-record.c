#include <stdlib.h>

struct a { int x, y; };
struct b { int x, y; };

static int f(struct a *a, struct b *b) {
    a->y = 1;
    b->y = 2;
    return a->y; //~ UB effective-type
}

int main(void) {
    void *memory = malloc(sizeof(struct a));
    return f(memory, memory);
}
