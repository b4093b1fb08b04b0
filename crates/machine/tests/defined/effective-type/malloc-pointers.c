// Pointers of any type may be stored and read: compilers treat void * as all of them.
#include <stdlib.h>

int main(void) {
    int x = 1;
    void **table = malloc(2 * sizeof *table);
    table[0] = &x;
    table[1] = table;
    int **ints = (int **)table;
    int result = *ints[0];
    const int *const *readers = (const int *const *)table;
    result += *readers[0];
    free(table);
    return result - 2;
}
