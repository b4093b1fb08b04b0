// The pointer must be valid even if no byte is used.
#include <stdio.h>

static int f(char *p, int n)
{
    return (int)fwrite(p, 1, n, stdout); //~ UB null-dereference
}

int main(void)
{
    return f(0, 0);
}
