// Between output and input a stream must be flushed or positioned.
#include <stdio.h>

int main(void)
{
    FILE *file = tmpfile();
    fputs("text", file);
    return fgetc(file); //~ UB bad-stream
}
