// memcpy takes the type of the source along.
#include <stdlib.h>
#include <string.h>

int main(void) {
    double d = 3;
    void *p = malloc(sizeof d);
    memcpy(p, &d, sizeof d);
    return *(long *)p == 0; //~ UB effective-type
}
