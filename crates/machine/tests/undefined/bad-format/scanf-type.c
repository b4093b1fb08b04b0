// `%d` stores an int.
#include <stdio.h>

int main(void)
{
    long n = 0;
    return sscanf("5", "%d", &n) - 1 + (int)n; //~ UB bad-format
}
