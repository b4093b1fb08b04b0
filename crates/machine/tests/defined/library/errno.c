// What C says of errno: it is zero at first, and set by functions that fail.
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char *end;
    if (errno != 0)
        return 1;
    long value = strtol("99999999999999999999", &end, 10);
    if (value != LONG_MAX || errno != ERANGE || *end)
        return 2;
    errno = 0;
    if (strtoul("-1", 0, 10) != ULONG_MAX || errno != 0)
        return 3;
    if (strtod("1e999", 0) != HUGE_VAL || errno != ERANGE)
        return 4;
    errno = EINVAL;
    if (strtol("12", 0, 10) != 12 || errno != EINVAL)
        return 5;
    errno = 0;
    if (fopen("this-file-does-not-exist", "r") || errno == 0)
        return 6;
    return 0;
}
