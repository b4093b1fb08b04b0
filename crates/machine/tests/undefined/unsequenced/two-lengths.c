int main(void) {
    int n = 2;
    int a[n++][n]; //~ UB unsequenced
    return sizeof a;
}
