#include <string.h>

static void f(char *restrict to, char *from) {
    to[0] = 1;
    memcpy(to + 4, from, 4); //~ UB restrict
}

int main(void) {
    char a[8] = {0};
    f(a, a);
    return 0;
}
