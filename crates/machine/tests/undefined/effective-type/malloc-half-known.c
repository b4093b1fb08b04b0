// One byte of the `long` was stored as a character, and the first four as an `int`.
#include <stdlib.h>

int main(void) {
    char *c = calloc(1, sizeof(long));
    c[7] = 0;
    *(int *)c = 1;
    return *(long *)c == 1; //~ UB effective-type
}
