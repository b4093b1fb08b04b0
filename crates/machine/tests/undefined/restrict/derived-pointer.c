// What is computed from the pointer, stored and read again is still based on it.
struct view {
    int *at;
};

static void f(int *restrict p, int *q) {
    struct view v = {p + 1};
    int *r = v.at;
    *r = 3;
    q[1] = 4; //~ UB restrict
}

int main(void) {
    int a[2];
    f(a, a);
    return 0;
}
