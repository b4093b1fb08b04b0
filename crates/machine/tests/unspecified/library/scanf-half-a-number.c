// C says that `1e` is no number; libraries read it in different ways.
#include <stdio.h>

int main(void)
{
    float f;
    return sscanf("1ergs", "%f", &f); //~ UNSPECIFIED library
}
