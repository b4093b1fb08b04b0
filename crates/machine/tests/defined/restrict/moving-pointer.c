// The pointer moves, is assigned and is set to null; its accesses stay its own.
static int f(int *restrict p, int n, int *restrict end) {
    int *start = p;
    int sum = 0;
    while (p < end)
        sum += *p++;
    p = start;
    for (int i = 0; i < n; i++, ++p)
        *p = i;
    p -= n;
    sum += p[n - 1];
    p = 0;
    return sum + start[0];
}

int main(void) {
    int a[4] = {1, 2, 3, 4};
    return f(a, 4, a + 4) - 13;
}
