#include <stdint.h>

static int f(int *restrict p) {
    uintptr_t number = (uintptr_t)p;
    int *q = (int *)number;
    *p = 1;
    *q = 2; //~ UNSUPPORTED a restricted pointer that was compared or converted
    return *p;
}

int main(void) {
    int x;
    return f(&x) - 2;
}
