// The mode is none of those of C.
#include <stdio.h>

int main(void)
{
    return fopen("some.txt", "+r") != 0; //~ UB bad-stream
}
