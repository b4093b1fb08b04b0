#include <stdlib.h>

struct pair {
    int x;
    float y;
};

int main(void) {
    struct pair value = {1, 2};
    struct pair *p = malloc(sizeof *p);
    *p = value;
    int *second = (int *)&p->y;
    return *second; //~ UB effective-type
}
