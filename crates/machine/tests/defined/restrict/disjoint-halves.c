static void add(int n, int *restrict to, const int *restrict from) {
    while (n-- > 0)
        *to++ += *from++;
}

int main(void) {
    int a[100] = {0};
    a[10] = 5;
    add(50, a + 50, a);
    return a[60] - 5;
}
