// Lists that are ended on every way, started again, copied and passed on.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

static jmp_buf out;

static int take(va_list list, int n) {
    va_list copy;
    va_copy(copy, list);
    int total = 0;
    for (int i = 0; i < n; i++)
        total += va_arg(copy, int);
    va_end(copy);
    return total;
}

static int sum(int n, ...) {
    va_list list;
    va_start(list, n);
    if (n == 0) {
        va_end(list);
        return 0;
    }
    int total = take(list, n);
    va_end(list);
    va_start(list, n);
    for (int i = 0; i < n; i++)
        total += va_arg(list, int);
    va_end(list);
    return total;
}

static void leave(int how, ...) {
    va_list list;
    va_start(list, how);
    if (how)
        exit(va_arg(list, int));
    longjmp(out, 1);
}

int main(void) {
    int result = sum(0) + sum(2, 3, 4) + sum(1, -7) * 2;
    if (setjmp(out) == 0)
        leave(0);
    leave(1, result + 14);
}
