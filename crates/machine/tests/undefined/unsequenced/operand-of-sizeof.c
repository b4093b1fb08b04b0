int main(void) {
    int n = 2, i = 0;
    int a[4][n];
    return (int)sizeof(a[i++]) + i; //~ UB unsequenced
}
