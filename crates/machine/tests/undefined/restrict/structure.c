struct pair {
    int x, y;
};

static void f(struct pair *restrict p, struct pair *q) {
    p->y = 1;
    struct pair copy = *q; //~ UB restrict
    p->y = copy.x;
}

int main(void) {
    struct pair a = {1, 2};
    f(&a, &a);
    return 0;
}
