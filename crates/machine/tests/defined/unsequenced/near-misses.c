static int g;
static int f(void) {
    g = 1;
    return 1;
}
static int next(int *p) {
    return (*p)++;
}
int main(void) {
    int failures = 0;
    int i = 0;
    i = (i++, 5); /* the comma completes the increment */
    failures += i != 5;
    i = 3;
    failures += !(i++ && i++) || i != 5;
    int x = 1, y = 2, *p = &x, *q = &y;
    failures += (*p)++ + (*q)++ != 3; /* two objects */
    g = f() + 1;                      /* the call is complete before the store */
    failures += g != 2;
    int a, b;
    a = b = 3;
    failures += a + b != 6;
    i = 7;
    i = next(&i); /* the call completes the increment */
    failures += i != 7;
    int c[2] = {0, 1};
    i = 0;
    i = c[i] + i; /* reads only */
    failures += i != 0;
    x = x ? (x++, 9) : 0;
    failures += x != 9;
    return failures;
}
