// The other access comes first.
static int f(int *restrict p, int *q) {
    *q = 7;
    return *p; //~ UB restrict
}

int main(void) {
    int x = 1;
    return f(&x, &x);
}
