// Only output can be flushed.
#include <stdio.h>

int main(void)
{
    fflush(stdin); //~ UB bad-stream
    return 0;
}
