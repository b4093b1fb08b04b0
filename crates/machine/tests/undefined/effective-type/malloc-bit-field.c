#include <stdlib.h>

struct a { unsigned x : 4, y : 4; };
struct b { unsigned x : 4, y : 4; };

int main(void) {
    struct a *a = calloc(1, sizeof *a);
    a->y = 1;
    return ((struct b *)a)->y; //~ UB effective-type
}
