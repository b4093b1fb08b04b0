// C11 6.7.9p23: the items of a list have no known order.
static int counter;

static int next(void) {
    return ++counter;
}

int main(void) {
    int a[2] = {next(), next()}; //~ UNSPECIFIED order
    return a[0] - 1;
}
