// A function that gets a pointer based on p may use it as its own.
static void inner(int *restrict q, int n) {
    for (int i = 0; i < n; i++)
        q[i]++;
}

static void plain(int *q) {
    *q += 2;
}

static int outer(int *restrict p, int n) {
    p[0] = 1;
    inner(p, n);
    plain(p);
    inner(p + 1, n - 1);
    return p[0] + p[1];
}

int main(void) {
    int a[3] = {0};
    return outer(a, 3) - 6;
}
