#include <stdio.h>

int main(void)
{
    char line[8];
    short pairs[4];
    int c = getchar();
    printf("%c", c);
    printf("%d", ungetc('!', stdin) == '!');
    printf("%c", getc(stdin));
    printf("%d\n", ungetc(EOF, stdin));
    while (fgets(line, sizeof line, stdin) == line && line[0] != '\n')
        printf("[%s]", line);
    printf("\n%d\n", (int)fread(pairs, 2, 2, stdin));
    printf("%x %x\n", (unsigned)pairs[0], (unsigned)pairs[1]);
    printf("%d ", (int)fread(pairs, 0, 3, stdin));
    printf("%d\n", (int)fread(pairs, 3, 0, stdin));
    printf("%d", feof(stdin) != 0);
    printf("%d", (int)fread(pairs, 1, 8, stdin));
    printf("%d", feof(stdin) != 0);
    printf("%d", fgetc(stdin));
    printf("%d", fgets(line, 4, stdin) == NULL);
    printf("%d", ungetc('x', stdin) == 'x' && !feof(stdin));
    printf("%c", getchar());
    printf("%d", getchar());
    clearerr(stdin);
    printf("%d%d\n", feof(stdin), ferror(stdin) || ferror(stdout));
    return 0;
}
