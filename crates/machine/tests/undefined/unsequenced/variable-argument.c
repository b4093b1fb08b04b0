#include <stdarg.h>
static int difference(int n, ...) {
    va_list ap;
    va_start(ap, n);
    n = va_arg(ap, int) - va_arg(ap, int); //~ UB unsequenced
    va_end(ap);
    return n;
}
int main(void) {
    return difference(2, 3, 10);
}
