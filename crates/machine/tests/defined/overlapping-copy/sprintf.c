// Another part of the same array, and nothing that is written.
#include <stdio.h>

int main(void)
{
    char b[32] = "abc";
    int n = snprintf(b + 4, 28, "x%s", b);
    n += snprintf(b, 0, "%s", b);
    n += sprintf(b + 3, "-%.3s", b);
    printf("%d %s\n", n, b);
    return 0;
}
