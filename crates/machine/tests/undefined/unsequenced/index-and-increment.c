int main(void) {
    int i = 1;
    int a[3] = {0};
    a[i] = i++; //~ UB unsequenced
    return a[1];
}
