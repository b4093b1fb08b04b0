#include <limits.h>
#include <stdio.h>

/* Bit-fields, an unsigned result that wraps, and a conversion that is nowhere written. */
struct pair {
    unsigned low : 5;
    signed high : 3;
};

static int sum(struct pair pair, short extra) {
    return pair.low + pair.high + extra;
}

int main(void) {
    struct pair pair = {.low = 31, .high = -4};
    pair.low += 2;
    printf("%d %d\n", sum(pair, 40), INT_MAX);
    return 0;
}
