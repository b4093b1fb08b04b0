#include <stdio.h>

int main(void)
{
    int n;
    return sscanf("5 6", "%d %d", &n) - 1; //~ UB bad-format
}
