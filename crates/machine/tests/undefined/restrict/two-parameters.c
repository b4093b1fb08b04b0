static void add(int n, int *restrict to, const int *restrict from) {
    for (int i = 0; i < n; i++)
        to[i] += from[i]; //~ UB restrict
}

int main(void) {
    int a[4] = {1, 2, 3, 4};
    add(3, a + 1, a);
    return 0;
}
