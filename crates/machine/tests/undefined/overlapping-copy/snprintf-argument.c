// The text that is written destroys the string that is still read.
#include <stdio.h>

int main(void)
{
    char b[32] = "abc";
    snprintf(b, 32, "x%s", b); //~ UB overlapping-copy
    puts(b);
    return 0;
}
