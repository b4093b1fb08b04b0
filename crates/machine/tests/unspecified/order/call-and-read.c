int g;
static int f(void) {
    g = 1;
    return 1;
}
static int sum(int a, int b) {
    return a + b;
}
int main(void) {
    return sum(f(), g); //~ UNSPECIFIED order
}
