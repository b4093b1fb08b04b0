#include <stdlib.h>

int main(void) {
    char *memory = malloc(32 << 20);
    float *f = (float *)(memory + (31 << 20));
    *f = 1;
    return *(int *)f; //~ UB effective-type
}
