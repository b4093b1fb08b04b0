// Each store gives the memory a new type.
#include <stdlib.h>

int main(void) {
    void *p = malloc(8);
    *(int *)p = 1;
    int a = *(int *)p;
    *(float *)p = 2;
    float b = *(float *)p;
    *(short *)p = 3;
    short c = *(short *)p;
    *(double *)p = 4;
    double d = *(double *)p;
    free(p);
    return a + b + c + d != 10;
}
