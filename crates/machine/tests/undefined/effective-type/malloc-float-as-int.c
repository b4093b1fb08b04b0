#include <stdlib.h>

int main(void) {
    void *p = malloc(sizeof(int));
    *(float *)p = 1.0f;
    return *(int *)p; //~ UB effective-type
}
