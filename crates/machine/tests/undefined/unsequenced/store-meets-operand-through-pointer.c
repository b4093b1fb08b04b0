int main(void) {
    int x = 1, *p = &x;
    x = (*p)++; //~ UB unsequenced
    return x;
}
