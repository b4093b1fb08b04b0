#include <stdarg.h>

static int sum(int n, ...) {
    va_list list;
    va_start(list, n);
    int total = va_arg(list, int);
    va_start(list, n); //~ UB va-end
    total += va_arg(list, int);
    va_end(list);
    return total;
}

int main(void) {
    return sum(1, 0);
}
