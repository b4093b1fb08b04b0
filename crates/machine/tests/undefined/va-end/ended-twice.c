#include <stdarg.h>

static int sum(int n, ...) {
    va_list list;
    va_start(list, n);
    va_end(list);
    va_end(list); //~ UB va-end
    return 0;
}

int main(void) {
    return sum(1, 0);
}
