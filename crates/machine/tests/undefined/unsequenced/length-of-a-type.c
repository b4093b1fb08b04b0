int main(void) {
    int n = 2;
    return (int)sizeof(int[n++]) + n; //~ UB unsequenced
}
