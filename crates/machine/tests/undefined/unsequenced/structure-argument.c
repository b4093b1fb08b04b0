struct s { int a, b; };
static int sum(struct s s, int b) {
    return s.a + b;
}
int main(void) {
    struct s s = {1, 2};
    return sum(s, s.a++); //~ UB unsequenced
}
