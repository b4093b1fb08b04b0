int main(void) {
    int n = 2, a[4][4] = {{0}};
    return (*(int (*)[n++])a[n])[0]; //~ UB unsequenced
}
