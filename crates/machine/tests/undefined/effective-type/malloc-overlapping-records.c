// Two structures of one type that overlap.
#include <stdlib.h>

struct pair { int x, y; };

static int f(struct pair *a, struct pair *b) {
    a->y = 1;
    b->x = 2;
    return a->y; //~ UB effective-type
}

int main(void) {
    int *memory = malloc(3 * sizeof *memory);
    return f((struct pair *)memory, (struct pair *)(memory + 1));
}
