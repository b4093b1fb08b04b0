// What s points to leads to another object, which is not based on s.
struct node {
    int *value;
    int count;
};

static int f(struct node *restrict s, int *v) {
    s->count = 1;
    *s->value = 2;
    *v += 1;
    return *s->value + s->count;
}

int main(void) {
    int x = 0;
    struct node n = {&x, 0};
    return f(&n, &x) - 4;
}
