// The handler of a signal that was raised must not raise another.
#include <signal.h>

static void handler(int number)
{
    raise(SIGINT); //~ UB bad-signal
}

int main(void)
{
    signal(SIGTERM, handler);
    raise(SIGTERM);
    return 0;
}
