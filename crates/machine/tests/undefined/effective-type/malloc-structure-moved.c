// From one place of memory to another, with memmove and by assignment.
#include <stdlib.h>
#include <string.h>

struct one {
    float f;
};

int main(void) {
    struct one *p = malloc(2 * sizeof *p), *q = malloc(sizeof *q);
    p[0].f = 1;
    memmove(p + 1, p, sizeof *p);
    *q = p[1];
    return *(int *)q; //~ UB effective-type
}
