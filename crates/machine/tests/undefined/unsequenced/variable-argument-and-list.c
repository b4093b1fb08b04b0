#include <stdarg.h>
#include <stdio.h>
static int print(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    int n = va_arg(ap, int) * 100 + vprintf(format, ap); //~ UB unsequenced
    va_end(ap);
    return n;
}
int main(void) {
    return print("%d\n", 3, 10);
}
