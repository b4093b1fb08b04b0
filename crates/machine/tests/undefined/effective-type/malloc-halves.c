// Two shorts are no int.
#include <stdlib.h>

int main(void) {
    short *p = malloc(sizeof(int));
    p[0] = 1;
    p[1] = 0;
    return *(int *)p; //~ UB effective-type
}
