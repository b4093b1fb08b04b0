struct s {
    int a[2];
};

static struct s make(void) {
    struct s s = {{1, 2}};
    return s;
}

int main(void) {
    make().a[0] = 3; //~ UB write-to-temporary
    return 0;
}
