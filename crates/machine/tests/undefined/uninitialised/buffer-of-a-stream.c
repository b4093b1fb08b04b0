// What is in the buffer of a stream is indeterminate.
#include <stdio.h>

int main(void)
{
    static char buffer[BUFSIZ];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    return buffer[0]; //~ UB uninitialised
}
