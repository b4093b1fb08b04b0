// Which numbers rand gives is left to the library.
#include <stdlib.h>

int main(void)
{
    srand(42);
    if (rand() < 0)
        return 1;
    return rand() % 6; //~ UNSPECIFIED library
}
