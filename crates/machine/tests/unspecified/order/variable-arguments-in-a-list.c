#include <stdarg.h>
static int difference(int n, ...) {
    va_list ap;
    va_start(ap, n);
    int a[2] = {va_arg(ap, int), va_arg(ap, int)}; //~ UNSPECIFIED order
    va_end(ap);
    return a[0] - a[1];
}
int main(void) {
    return difference(2, 3, 10);
}
