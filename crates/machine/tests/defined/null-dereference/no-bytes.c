// Pointers that are valid, and nothing to do; snprintf may get a null pointer then.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    char c[4] = "abc";
    int numbers[1] = {4}, key = 3;
    qsort(numbers + 1, 0, sizeof *numbers, compare);
    if (bsearch(&key, numbers, 0, sizeof *numbers, compare))
        return 1;
    if (memcmp(c + 4, c + 4, 0) || memchr(c + 4, 'a', 0) || strncmp(c + 4, "x", 0))
        return 2;
    strncpy(c + 4, "xyz", 0);
    return snprintf(0, 0, "%d%.0s", 123, c) != 3 || fwrite(c + 4, 1, 0, stdout) != 0;
}
