#include <stdio.h>
#include <string.h>

int main(void)
{
    char text[] = "  one two,,three ", other[] = "a:b::c", *save, *rest = other;
    for (char *token = strtok(text, " ,"); token; token = strtok(0, " ,"))
        printf("[%s]", token);
    printf("%d\n", strtok(0, " ") == 0);
    char again[] = "x-y";
    char *first = strtok_r(again, "-", &save), *second = strtok_r(0, "-", &save);
    printf("%s %s\n", first, second);
    for (char *field; (field = strsep(&rest, ":"));)
        printf("<%s>", field);
    char copy[8];
    size_t length = strxfrm(copy, "abc", sizeof copy);
    printf("\n%d %s %d\n", (int)length, copy, strcoll("a", "b") < 0);
    return 0;
}
