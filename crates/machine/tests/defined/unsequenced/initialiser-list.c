// Items that do not meet, and one item with an order of its own.
struct pair {
    int x, y;
};

static int calls;

static int square(int n) {
    return n * n;
}

int main(void) {
    int i = 1, j = 2;
    int a[3] = {i++, j++, 3};
    struct pair p = {(i++, i + 1), j};
    struct pair q[2] = {{square(2), square(3)}, {.y = calls++, .x = i}};
    int b[4] = {[2] = i, [0] = j};
    return a[0] + a[1] + a[2] + p.x + p.y + q[0].x + q[0].y + q[1].x + q[1].y + b[2] + b[0]
        - (1 + 2 + 3 + 4 + 3 + 4 + 9 + 3 + 0 + 3 + 3);
}
