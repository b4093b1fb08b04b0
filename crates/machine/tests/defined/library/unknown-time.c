// Nothing depends on what the time is: a seed that was not used, and a message to stderr.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(void)
{
    time_t now;
    clock_t start = clock();
    srand((unsigned)time(&now));
    time_t copy = now;
    unsigned char low = (unsigned char)copy;
    (void)low;
    (void)start;
    return rand() < 0;
}
