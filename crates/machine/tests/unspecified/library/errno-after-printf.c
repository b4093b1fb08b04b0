// A function may change errno even if it succeeds (C11 7.5p3).
#include <errno.h>
#include <stdio.h>

int main(void)
{
    errno = 0;
    printf("text\n");
    return errno != 0; //~ UNSPECIFIED library
}
