#include <stdio.h>
#include <time.h>

int main(void)
{
    time_t now = time(0);
    printf("%ld\n", (long)now); //~ UNSPECIFIED library
    return 0;
}
