// The result of a call lives until the end of the full expression.
struct s {
    int a[2];
};

static struct s make(void) {
    struct s s = {{1, 2}};
    return s;
}

int main(void) {
    int *p = make().a;
    return *p; //~ UB dangling
}
