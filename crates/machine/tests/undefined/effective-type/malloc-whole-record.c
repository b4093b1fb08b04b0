// Members of one structure are read as the whole of another.
#include <stdlib.h>

struct a { int x, y; };
struct b { int x, y; };

int main(void) {
    struct a *a = malloc(sizeof *a);
    a->x = a->y = 1;
    struct b b = *(struct b *)a; //~ UB effective-type
    return b.x;
}
