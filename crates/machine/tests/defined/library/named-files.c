// compiler: none
#include <stdio.h>

int main(void)
{
    char line[32];
    FILE *file = fopen("some.txt", "w");
    fprintf(file, "%d\n%d\n", 1, 2);
    fclose(file);
    file = fopen("some.txt", "a+");
    fputs("end\n", file);
    rewind(file);
    int a, b;
    int count = fscanf(file, "%d%d ", &a, &b);
    printf("%d %d %d", count, a, b);
    printf(" %s", fgets(line, sizeof line, file));
    fclose(file);
    printf("%d", rename("some.txt", "other.txt"));
    printf(" %d", fopen("some.txt", "r") == 0);
    printf(" %d", fopen("other.txt", "wx") == 0);
    freopen("other.txt", "r", stdin);
    printf(" %c", getchar());
    freopen("third.txt", "w", stdout);
    puts("not seen");
    return remove("other.txt") + remove("third.txt");
}
