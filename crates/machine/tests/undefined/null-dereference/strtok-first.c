// There is no string to go on with.
#include <string.h>

int main(void)
{
    return strtok(0, " ") != 0; //~ UB null-dereference
}
