/* Writes to standard output without end. */
#include <stdio.h>
#include <string.h>

int main(void)
{
    static char block[1 << 16];
    memset(block, 'x', sizeof block);
    for (;;)
        fwrite(block, sizeof block, 1, stdout);
}
