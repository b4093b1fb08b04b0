/* Leaves a process behind, as daemons do. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    if (fork() == 0) {
        printf("%s\n", setsid() < 0 ? "still in the session" : "escaped");
        fflush(stdout);
        if (fork() != 0)
            _exit(0);
        setpgid(0, 0);
        close(0);
        close(1);
        close(2);
        sleep(600);
    }
    return 0;
}
