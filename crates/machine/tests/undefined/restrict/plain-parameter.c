static int f(int *restrict p, int *q) {
    *p = 1;
    *q = 2; //~ UB restrict
    return *p;
}

int main(void) {
    int x;
    return f(&x, &x);
}
