// All of these are computed from p.
#include <string.h>

struct box {
    int *at;
    int value;
};

static int *same(int *q) {
    return q;
}

static int f(int *restrict p, int i) {
    int *q = p;
    int *r = &p[i];
    int *s = same(p + i);
    int *t;
    memcpy(&t, &s, sizeof t);
    struct box b = {p}, c = b;
    int *volatile v = p;
    int **pp = &q;
    int *w = i ? p : p + 1;
    *p = 1;
    *q += 1;
    *r += 1;
    *s += 1;
    *t += 1;
    *c.at += 1;
    *v += 1;
    **pp += 1;
    *w += 1;
    return *p + r[0];
}

int main(void) {
    int a[2] = {0};
    return f(a, 1) - 9;
}
