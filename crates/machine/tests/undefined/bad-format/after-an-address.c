// Standard error may show an address, but the next conversion has no argument.
#include <stdio.h>

int main(void)
{
    int n = 3;
    fprintf(stderr, "%p %d\n", (void *)&n); //~ UB bad-format
    return 0;
}
