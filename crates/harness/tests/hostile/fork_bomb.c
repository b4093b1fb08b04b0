/* Forks without end; where that is refused, says so. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    for (int refused = 0; refused < 1000;) {
        pid_t child = fork();
        if (child < 0)
            refused++;
        else
            for (;;)
                fork();
    }
    puts("refused");
    return 0;
}
