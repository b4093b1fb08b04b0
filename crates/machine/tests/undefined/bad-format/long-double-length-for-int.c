#include <stdio.h>

int main(void)
{
    int n = 7;
    char s[] = "x";
    printf("[%Ld]\n", (long long)n); //~ UB bad-format
    return n - 7 + s[0] - 'x';
}
