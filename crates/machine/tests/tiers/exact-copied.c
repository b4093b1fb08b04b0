// tier: exact
struct box { double large; };
static struct box made(double x) {
    struct box b;
    b.large = x;
    return b;
}
static int left(struct box b) { return (int)(b.large - 9007199254740989.0 + 0.5); }
volatile int hidden = 1;
int main(void) {
    struct box a = made(9007199254740990.0 + hidden);
    struct { struct box inner; } c = {a};
    return left(c.inner);
}
