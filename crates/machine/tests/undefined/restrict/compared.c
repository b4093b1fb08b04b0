// To compare two pointers does not make one based on the other.
static int f(int *restrict p, int *restrict q) {
    if (p == q)
        *p = 1;
    *q = 2; //~ UB restrict
    return *p;
}

int main(void) {
    int x;
    return f(&x, &x);
}
