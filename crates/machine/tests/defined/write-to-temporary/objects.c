// A copy, a compound literal and the object itself may be modified.
struct s {
    int a[2];
};

static struct s make(void) {
    return (struct s){{1, 2}};
}

static struct s *same(struct s *p) {
    return p;
}

int main(void) {
    struct s x = make();
    x.a[0] = 3;
    same(&x)->a[1]++;
    (*&x).a[0]++;
    (&x)->a[0]++;
    int *p = (struct s){{5, 6}}.a;
    p[1]++;
    ({ x; }).a[0];
    return x.a[0] + x.a[1] + p[1] - 15;
}
