/* Changes the mode and the times of the file that it is given. */
#include <stdio.h>
#include <sys/stat.h>
#include <utime.h>

int main(int count, char **arguments)
{
    const char *victim = arguments[count - 1];
    struct utimbuf times = {1, 1};
    printf("%d done\n", (chmod(victim, 0777) == 0) + (utime(victim, &times) == 0));
    return 0;
}
