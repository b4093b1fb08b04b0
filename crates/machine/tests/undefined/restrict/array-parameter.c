static int f(int n, int a[restrict n], int b[n]) {
    a[n - 1] = 1;
    return b[n - 1]; //~ UB restrict
}

int main(void) {
    int x[3] = {0};
    return f(3, x, x);
}
