// Two types of the same size and representation are two types.
#include <stdlib.h>

int main(void) {
    long *p = malloc(2 * sizeof(long));
    p[1] = 5;
    long long *q = (long long *)p;
    return q[1] != 5; //~ UB effective-type
}
