static int sum(int a, int b) {
    return a + b;
}
int main(void) {
    int i = 3;
    return sum(i++, i); //~ UB unsequenced
}
