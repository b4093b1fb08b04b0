#include <stdarg.h>

static int sum(int n, ...) {
    va_list list, other;
    va_start(list, n);
    va_start(other, n);
    va_copy(other, list); //~ UB va-end
    va_end(list);
    va_end(other);
    return 0;
}

int main(void) {
    return sum(1, 0);
}
