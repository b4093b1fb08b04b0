static int f(int *restrict p, int *restrict q) {
    if (p != q)
        *p = 1;
    return *q;
}

int main(void) {
    int x = 0, y = 2;
    int first = f(&x, &y);
    int second = f(&x, &x);
    return first + second - 3;
}
