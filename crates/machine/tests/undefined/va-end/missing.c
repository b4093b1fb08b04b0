#include <stdarg.h>

static int sum(int n, ...) {
    va_list list;
    int total = 0;
    va_start(list, n);
    while (n-- > 0)
        total += va_arg(list, int);
    return total; //~ UB va-end
}

int main(void) {
    return sum(2, 1, -1);
}
