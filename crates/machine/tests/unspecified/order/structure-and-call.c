static struct s { int a, b; } s = {1, 2};
static int step(void) {
    return s.a++;
}
static int sum(int b, struct s s) {
    return s.a + b;
}
int main(void) {
    return sum(step(), s); //~ UNSPECIFIED order
}
