// env: NAME=value
// time: 1000
// glibc-rand
// compiler: none
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <locale.h>

int main(void)
{
    time_t now;
    printf("%s %d %d\n", getenv("NAME"), getenv("OTHER") == 0, (int)time(&now));
    srand((unsigned)now);
    int first = rand();
    printf("%d %d\n", first, rand());
    printf("%s %d\n", setlocale(LC_ALL, "C"), now == 1000);
    return 0;
}
