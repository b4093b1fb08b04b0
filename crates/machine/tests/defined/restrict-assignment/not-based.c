// Values that do not come from the other pointer.
static int f(int *restrict p, int *restrict q, int *plain) {
    p = plain;
    int *restrict r = plain + 1;
    *r = 3;
    int *restrict s = 0;
    if (r)
        s = 0;
    return *p + *q + (s != 0);
}

int main(void) {
    int a[2] = {1, 0}, b = 2, c = 0;
    return f(&c, &b, a) - 3;
}
