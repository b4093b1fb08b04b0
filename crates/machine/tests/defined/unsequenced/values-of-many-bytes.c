// Aggregates, vectors and complex numbers beside side effects that they do not meet.
#include <stdarg.h>
#include <stdio.h>
typedef int v4 __attribute__((vector_size(16)));
struct s { int a, b; };
static struct s s = {1, 2}, t = {3, 4};
static int bump(void) {
    return t.a++;
}
static int sum(struct s s, int b, v4 v, _Complex double z) {
    return s.a + s.b + b + v[0] + (int)__real__ z;
}
static int same(int x) {
    return x;
}
static int get(va_list *list) {
    return va_arg(*list, int);
}
static int both(int n, ...) {
    va_list ap, copy;
    va_start(ap, n);
    va_copy(copy, ap);
    int r = va_arg(ap, int) + 10 * va_arg(copy, int);
    r = (r, get(&ap)) + 100 * r;
    va_end(ap), va_end(copy);
    return r;
}
int main(void) {
    v4 v = {1, 2, 3, 4}, w = v;
    _Complex double z = 1, y = 2;
    int i = 0, n = 2, (*p)(int) = same;
    printf("%d\n", sum(s, bump(), v, z + (__real__ y = 5)));
    v = (w[0] = 9) + v;
    v[1] += v[0]++;
    s = (s.a = 7, s);
    v = w + (v[i++ & 3] = 1, w);
    printf("%d %d %d %d\n", v[0], v[1], s.a, i);
    i = p((i = 4, i));
    int a[3][n];
    struct s list[] = {s, s, {bump(), i}};
    printf("%d %d %d %d\n", i, (int)(sizeof(a[n - 1]) / sizeof(int)), both(2, 3, 4), list[2].a);
    return 0;
}
