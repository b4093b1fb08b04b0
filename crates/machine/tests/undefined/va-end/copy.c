// A copy has to be ended as well.
#include <stdarg.h>

static int first(int n, ...) {
    va_list list, copy;
    va_start(list, n);
    va_copy(copy, list);
    int result = va_arg(copy, int);
    va_end(list);
    return result; //~ UB va-end
}

int main(void) {
    return first(1, 0);
}
