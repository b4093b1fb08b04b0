#include <stdlib.h>

struct a { int x, y; };
struct b { int x, y; };

int main(void) {
    struct a value = { 1, 2 };
    struct a *a = malloc(sizeof *a);
    *a = value;
    return ((struct b *)a)->y; //~ UB effective-type
}
