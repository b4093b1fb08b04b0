int main(void) {
    int x = 1;
    x = x ? x++ : 0; //~ UB unsequenced
    return x;
}
