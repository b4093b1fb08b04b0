// Reading and writing one file in turns, with what must stand between them.
#include <stdio.h>
#include <string.h>

int main(void)
{
    char line[16];
    fpos_t place;
    FILE *file = tmpfile();
    fprintf(file, "%s %d\n", "first", 1);
    fputs("second\n", file);
    fgetpos(file, &place);
    fwrite("third\n", 1, 6, file);
    fflush(stdout);
    if (fflush(file) != 0 || ftell(file) != 21)
        return 1;
    rewind(file);
    while (fgets(line, sizeof line, file))
        printf("[%s]", line);
    printf("%d %d\n", feof(file) != 0, ferror(file));
    fputs("fourth\n", file);
    fsetpos(file, &place);
    printf("%c", fgetc(file));
    ungetc('T', file);
    printf("%c\n", getc(file));
    fseek(file, -7, SEEK_END);
    size_t count = fread(line, 1, sizeof line, file);
    printf("%d %.6s %d\n", (int)count, line, feof(file) != 0);
    clearerr(file);
    fseek(file, 0, SEEK_SET);
    fseek(file, 2, SEEK_CUR);
    fputc('R', file);
    fseek(file, 0, SEEK_SET);
    if (!fgets(line, sizeof line, file))
        return 2;
    printf("%s%d\n", line, feof(file));
    printf("%d\n", fclose(file));
    return 0;
}
