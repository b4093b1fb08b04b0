// The memory is in use again, but not for this pointer.
#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p);
    free(p);
    int *q = malloc(sizeof *q);
    *q = 1;
    return *p; //~ UB dangling
}
