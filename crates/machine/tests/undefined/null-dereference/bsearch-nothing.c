// The array must be there even if it has no elements.
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    int key = 3, *p = 0;
    return bsearch(&key, p, 0, sizeof *p, compare) != 0; //~ UB null-dereference
}
