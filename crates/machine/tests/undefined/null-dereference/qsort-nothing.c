// The array must be there even if it has no elements.
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    int *p = 0;
    qsort(p, 0, sizeof *p, compare); //~ UB null-dereference
    return 0;
}
