// Between input and output a stream must be positioned, unless the input met its end.
#include <stdio.h>

int main(void)
{
    FILE *file = tmpfile();
    fputs("text", file);
    rewind(file);
    fgetc(file);
    fputc('x', file); //~ UB bad-stream
    return 0;
}
