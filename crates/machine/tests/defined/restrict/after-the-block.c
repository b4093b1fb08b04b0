// The promise ends with the block, or the call.
static int *f(int *restrict p) {
    *p = 1;
    return p + 1;
}

int main(void) {
    int a[2] = {0};
    a[0] = 3;
    int *q = f(a);
    a[0]++;
    *q = a[0];
    {
        int *restrict p = a;
        p[0]++;
    }
    a[0]++;
    for (int i = 0; i < 3; i++) {
        int *restrict p = &a[1];
        (*p)++;
    }
    a[1]++;
    return a[0] + a[1] - 10;
}
