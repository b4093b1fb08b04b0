static int same(int x) {
    return x;
}
static int other(int x) {
    return -x;
}
int main(void) {
    int (*p)(int) = same;
    return p((p = other, 1)); //~ UB unsequenced
}
