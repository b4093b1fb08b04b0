#include <stdlib.h>

union a { int x; float f; };
union b { int x; short s; };

int main(void) {
    union a *a = malloc(sizeof *a);
    union b *b = (union b *)a;
    a->x = 1;
    return b->x; //~ UB effective-type
}
