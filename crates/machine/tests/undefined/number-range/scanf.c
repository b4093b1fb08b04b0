// The number does not fit the object.
#include <stdio.h>

int main(void)
{
    int n;
    return sscanf("99999999999", "%d", &n) - 1; //~ UB number-range
}
