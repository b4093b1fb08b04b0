#include <stdio.h>

int main(void)
{
    int n = 7;
    char s[] = "x";
    printf("[%lp]\n", (void *)s); //~ UB bad-format
    return n - 7 + s[0] - 'x';
}
