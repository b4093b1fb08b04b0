static int same(int x) {
    return x;
}
static int other(int x) {
    return -x;
}
int main(void) {
    int (*t[2])(int) = {same, other}, i = 0;
    return t[i]((i = 1)); //~ UB unsequenced
}
