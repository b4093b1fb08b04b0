#include <errno.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    const char *text = strerror(ENOENT);
    if (!text)
        return 1;
    puts(text); //~ UNSPECIFIED library
    return 0;
}
