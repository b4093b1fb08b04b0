int *restrict p, *restrict q;

static int f(void) {
    *p = 1;
    *q = 2; //~ UB restrict
    return *p;
}

int main(void) {
    int x;
    p = &x;
    q = &x;
    return f();
}
