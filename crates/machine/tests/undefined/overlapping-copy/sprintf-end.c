// To append in this way writes over the terminating zero of the argument.
#include <stdio.h>

int main(void)
{
    char b[32] = "abc";
    sprintf(b + 3, "-%s", b); //~ UB overlapping-copy
    return b[0];
}
