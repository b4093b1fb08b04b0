#include <stdarg.h>
static int get(va_list *list) {
    return va_arg(*list, int);
}
static int difference(int n, ...) {
    va_list ap;
    va_start(ap, n);
    n = get(&ap) - get(&ap); //~ UNSPECIFIED order
    va_end(ap);
    return n;
}
int main(void) {
    return difference(2, 3, 10);
}
