// `%s` wants characters.
#include <stdio.h>

int main(void)
{
    short s[2] = {0x6261, 0};
    printf("%s\n", s); //~ UB bad-format
    return 0;
}
