// Whether the handler is still there after its first call is left to the library.
#include <signal.h>

static void handler(int number)
{
}

int main(void)
{
    signal(SIGTERM, handler);
    raise(SIGTERM);
    raise(SIGTERM); //~ UNSPECIFIED library
    return 0;
}
