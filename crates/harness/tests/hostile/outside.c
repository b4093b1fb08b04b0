/* Changes the file that it is given, and makes one beside it, in every way it can. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    const char *victim = arguments[count - 1];
    char beside[4096];
    int done = 0;
    snprintf(beside, sizeof beside, "%s.beside", victim);
    done += open(victim, O_WRONLY) >= 0;
    done += truncate(victim, 0) == 0;
    done += open(beside, O_CREAT | O_WRONLY, 0600) >= 0;
    done += mkdir(beside, 0700) == 0;
    done += symlink(victim, beside) == 0;
    done += link(victim, beside) == 0;
    done += rename(victim, beside) == 0;
    done += unlink(victim) == 0;
    printf("%d done\n", done);
    return 0;
}
