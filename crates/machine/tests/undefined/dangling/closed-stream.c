// The stream is gone after it was closed.
#include <stdio.h>

int main(void)
{
    FILE *file = tmpfile();
    fclose(file);
    fputs("text", file); //~ UB dangling
    return 0;
}
