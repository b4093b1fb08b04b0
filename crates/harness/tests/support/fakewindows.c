/* What a program for Windows tells, told by a program of this machine. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void tell(const char *text)
{
    if (write(2, text, strlen(text)) < 0)
        _exit(9);
}

static void on_abort(int number)
{
    (void)number;
    tell("farrier: abort\n");
    _exit(3);
}

static void on_fault(int number)
{
    (void)number;
    tell("farrier: exception c0000005\n");
    _exit(5);
}

static void on_end(void)
{
    tell("farrier: end\n");
}

__attribute__((constructor)) static void begin(void)
{
    signal(SIGABRT, on_abort);
    signal(SIGSEGV, on_fault);
    atexit(on_end);
    tell("farrier: begin\n");
}
