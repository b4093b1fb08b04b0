// The pointer must be valid even if no byte is used.
#include <string.h>

static int f(char *p, int n)
{
    return (int)strnlen(p, n); //~ UB null-dereference
}

int main(void)
{
    return f(0, 0);
}
