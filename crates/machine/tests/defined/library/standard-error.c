// What is written to standard error is no part of the behaviour, be it an address.
#include <errno.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    int n = 3;
    int count = fprintf(stderr, "%p %s %d\n", (void *)&n, strerror(ENOENT), n);
    return count < 0;
}
