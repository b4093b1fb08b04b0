#include <stdlib.h>

int main(void) {
    int x = 1;
    void *memory = malloc(sizeof(int *));
    *(int **)memory = &x;
    return *(float **)memory == 0; //~ UB effective-type
}
