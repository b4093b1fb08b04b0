/* Eats memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    for (;;) {
        char *block = malloc(16 << 20);
        if (!block) {
            puts("no more");
            return 3;
        }
        memset(block, 1, 16 << 20);
    }
}
