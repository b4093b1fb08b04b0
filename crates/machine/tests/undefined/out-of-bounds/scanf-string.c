// The word is longer than its array.
#include <stdio.h>

int main(void)
{
    char word[4];
    return sscanf("hello", "%s", word) - 1; //~ UB out-of-bounds
}
