// Library functions work on the objects as the pointers that they get.
#include <stdio.h>
#include <string.h>

static size_t join(char *restrict to, const char *restrict from) {
    strcpy(to, from);
    strcat(to, "!");
    memmove(to + 1, to, 3);
    sprintf(to + strlen(to), "%d", 7);
    return strlen(to);
}

int main(void) {
    char text[20];
    return join(text, "abc") != 5 || strcmp(text, "aabc7") != 0;
}
