int g;
static int f(void) {
    g = 1;
    return 1;
}
static int h(void) {
    g = 2;
    return 2;
}
int main(void) {
    return f() + h(); //~ UNSPECIFIED order
}
