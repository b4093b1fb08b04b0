static int same(int x) {
    return x;
}
static int other(int x) {
    return -x;
}
static int (*p)(int) = same;
static int set(void) {
    p = other;
    return 1;
}
int main(void) {
    return p(set()); //~ UNSPECIFIED order
}
