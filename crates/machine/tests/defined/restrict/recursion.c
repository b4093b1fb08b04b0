static int sum(const int *restrict p, int *restrict total, int n) {
    if (n == 0)
        return *total;
    *total += *p;
    return sum(p + 1, total, n - 1);
}

int main(void) {
    int a[50], total = 0;
    for (int i = 0; i < 50; i++)
        a[i] = i;
    return sum(a, &total, 50) - 1225;
}
