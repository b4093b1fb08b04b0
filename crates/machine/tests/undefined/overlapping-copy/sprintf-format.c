// The destination is the format.
#include <stdio.h>

int main(void)
{
    char b[32] = "%d and %d";
    sprintf(b, b, 1, 2); //~ UB overlapping-copy
    puts(b);
    return 0;
}
