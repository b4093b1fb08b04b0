// A handler is called, and installs itself again.
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t seen;

static void handler(int number)
{
    seen = number;
    signal(number, handler);
}

int main(void)
{
    if (signal(SIGTERM, handler) != SIG_DFL)
        return 1;
    if (raise(SIGTERM) != 0 || seen != SIGTERM)
        return 2;
    seen = 0;
    raise(SIGTERM);
    if (signal(SIGTERM, SIG_IGN) != handler)
        return 3;
    raise(SIGTERM);
    printf("%d\n", seen == SIGTERM);
    return 0;
}
