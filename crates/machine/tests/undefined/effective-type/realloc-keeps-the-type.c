#include <stdlib.h>

int main(void) {
    unsigned *p = malloc(sizeof *p);
    *p = 7;
    float *q = realloc(p, 100);
    return *q != 0; //~ UB effective-type
}
