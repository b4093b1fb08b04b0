#include <stdio.h>

int main(void)
{
    char line[4];
    fgets(line, 40, stdin); //~ UB out-of-bounds
    return 0;
}
