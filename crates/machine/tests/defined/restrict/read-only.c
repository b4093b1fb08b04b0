// C11 6.7.3.1, example 3: what is not modified may be shared.
static void h(int n, int *restrict p, int *restrict q, int *restrict r) {
    for (int i = 0; i < n; i++)
        p[i] = q[i] + r[i];
}

int main(void) {
    int a[10] = {0}, b[10] = {1, 2, 3};
    h(10, a, b, b);
    return a[2] - 6;
}
