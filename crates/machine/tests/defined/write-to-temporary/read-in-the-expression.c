// A value with an array may be read until the end of the full expression.
struct s {
    int a[3];
    char text[4];
} x = {{4, 5, 6}, "abc"};

static struct s make(int n) {
    struct s s = {{n, n + 1, n + 2}, "xyz"};
    return s;
}

static int sum(const int *a, const char *text) {
    return a[0] + a[1] + a[2] + (text[1] == 'y');
}

int main(void) {
    int total = make(1).a[2];
    total += sum(make(1).a, make(2).text);
    total += (x = make(3)).a[0];
    total += (total ? x : x).a[1] + (0, x).a[2];
    for (int i = 0; i < 3; i++)
        total += make(i).a[i];
    if (make(7).a[0] != 7)
        return 1;
    int *p;
    total += (p = make(5).a, p[0] + p[1]);
    const char *q = make(1).text + 1;
    (void)q;
    return total - (3 + 7 + 12 + 6 + 11);
}
