// Handlers run in reverse order, and one of them may end the program at once.
#include <stdio.h>
#include <stdlib.h>

static void first(void)
{
    puts("never");
}

static void last(void)
{
    puts("last");
    fflush(stdout);
    _Exit(0);
}

int main(void)
{
    atexit(first);
    atexit(last);
    at_quick_exit(first);
    exit(3);
}
