// The pointer must be valid even if no byte is used.
#include <string.h>

static int f(char *p, int n)
{
    return strncpy(p, "a", n) != 0; //~ UB null-dereference
}

int main(void)
{
    return f(0, 0);
}
