// A function that atexit got must not call exit.
#include <stdlib.h>

static void last(void)
{
    exit(1); //~ UB exit-twice
}

int main(void)
{
    atexit(last);
    return 0;
}
