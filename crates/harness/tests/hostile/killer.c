/* Kills the processes that it is given, or else its parent; says for how many it was refused. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    int refused = 0;
    for (int i = 1; i < count; i++)
        refused += kill(atoi(arguments[i]), SIGKILL) != 0;
    if (count == 1)
        refused += kill(getppid(), SIGKILL) != 0;
    /* Signal 0 asks only whether it would be allowed: nobody is hurt if it is. */
    refused += kill(-1, 0) != 0;
    printf("%d refused\n", refused);
    fflush(stdout);
    raise(SIGUSR1);
    return 0;
}
