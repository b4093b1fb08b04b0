// If p pointed elsewhere, another pointer would be chosen: both are based on p, which the machine does not see.
static int f(int *restrict p, int *q) {
    int *r = p == q ? q : p;
    *p = 1;
    return *r; //~ UNSUPPORTED a restricted pointer that was compared
}

static int g(int *restrict p, int *q) {
    int *r = q + (p - q);
    *p = 2;
    return *r;
}

int main(void) {
    int x = 0;
    int first = f(&x, &x);
    int second = g(&x, &x);
    return first + second - 3;
}
