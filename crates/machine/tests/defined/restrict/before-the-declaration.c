int main(void) {
    int a[2];
    a[0] = 1;
    a[1] = 2;
    int *restrict p = a;
    p[0] += p[1];
    return p[0] - 3;
}
