// Each call has locals of its own, whatever happens while they get their first values.
#include <stdio.h>
#include <string.h>

static int first(char *bytes)
{
    signed char own[2] = {(memset(bytes, 1, 1), bytes[0]), 3};
    return own[0] + own[1];
}

static int known(void)
{
    signed char own[1] = {__builtin_constant_p(0)};
    return own[0];
}

int main(void)
{
    char one[1], other[1];
    printf("%d\n", first(one) - first(other));
    printf("%d\n", (known() ^ 1) - known());
    return 0;
}
