// The pointer only reads; the other way writes.
static int f(const int *restrict p, int *q) {
    int sum = *p;
    *q = 7; //~ UB restrict
    return sum;
}

int main(void) {
    int x = 1;
    return f(&x, &x);
}
