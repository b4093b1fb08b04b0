// Two members of one structure are two objects, but restricted members are not watched.
struct state {
    int x, y;
    int *restrict data;
};

static int f(int *restrict p, int *restrict q, struct state *s) {
    *p = 1;
    *q = 2;
    s->data[0] = 3; //~ UNSUPPORTED a restricted pointer that is a member
    return *p + *q + s->data[0];
}

int main(void) {
    int value = 0;
    struct state s = {0, 0, &value};
    return f(&s.x, &s.y, &s) - 6;
}
