// Neighbours in one byte are different objects, but compilers write both.
struct flags {
    unsigned a : 4;
    unsigned b : 4;
};

static unsigned f(struct flags *restrict p, struct flags *q) {
    p->a = 3;
    q->b = 4; //~ UNSUPPORTED bit-fields in bytes
    return p->a;
}

int main(void) {
    struct flags x = {0, 0};
    return f(&x, &x) - 3;
}
