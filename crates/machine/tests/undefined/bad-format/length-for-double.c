#include <stdio.h>

int main(void)
{
    int n = 7;
    char s[] = "x";
    printf("[%hf]\n", 1.0); //~ UB bad-format
    return n - 7 + s[0] - 'x';
}
